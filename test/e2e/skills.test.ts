import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bearer, call } from '../support/http-client.ts';
import { serviceHere } from '../support/one-service.ts';

const bus = serviceHere();

const library = (init: RequestInit = {}, query = '') =>
  call(`${bus.ready.portal_url}/api/skills/library${query}`, init);

const gate = (label: string): string =>
  `- {skill_id: smart-stories/gate-by-scope, instance_label: ${label}, values: {scope: destination-path, gate_scope_kind: E, path_map: {__proto__: b, a: c}}}\n`;

test('the skill library returns 304 without a length for its own tag, and identical bytes otherwise', async () => {
  const first = await library();
  const etag = first.headers.get('etag') ?? '';
  expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
  const second = await library({ headers: { 'if-none-match': etag } });
  expect([second.status, second.headers.get('etag'), second.headers.get('content-length')]).toEqual(
    [304, etag, null],
  );
  expect(await library({}, '?version=0.2.2')).toMatchObject({ status: 200, body: first.body });
});

test('the instances of a file reach the executor; a paused one says so, and a label is used once', async () => {
  const { base_url, consumer } = bus.ready;
  const skill = async (...args: readonly string[]) =>
    bus.run('skill', ...args, '--connection', consumer.client_id);
  const register = (...labels: readonly string[]) => {
    const path = join(bus.data, 'house.yaml');
    writeFileSync(path, labels.map(gate).join(''));
    return skill('register', '--file', path);
  };
  const { code, record } = await register('one', 'two');
  expect([code, record]).toMatchObject([0, [{}, {}]]);
  const id: string = record[0].registration_id;
  await skill('pause', id);
  const { status, body } = await call(`${bus.tenant}/consumers/${consumer.client_id}/skills`, {
    headers: { authorization: await bearer(base_url, consumer) },
  });
  expect(status).toBe(200);
  expect(body['registrations']).toHaveLength(2);
  expect(body['registrations']).toContainEqual({
    registration_id: id,
    skill_id: 'smart-stories/gate-by-scope',
    skill_version: '0.2.2',
    instance_label: 'one',
    values: {
      scope: 'destination-path',
      gate_scope_kind: 'E',
      path_map: JSON.parse('{"__proto__": "b", "a": "c"}'),
    },
    paused: true,
  });
  const again = await register('three', 'two');
  expect([again.code, again.stderr]).toEqual([
    1,
    'refused: The connection has an instance "two" already: remove that one first. Nothing was registered.\n',
  ]);
});
