import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bearer, call } from '../support/http-client.ts';
import { serviceHere } from '../support/one-service.ts';
import { sombus } from '../support/service-process.ts';

const bus = serviceHere();

const library = (init: RequestInit = {}, query = '') =>
  call(`${bus.ready.portal_url}/api/skills/library${query}`, init);

const gate = (label: string): string =>
  `- {skill_id: smart-stories/gate-by-scope, instance_label: ${label}, values: {scope: destination-path, gate_scope_kind: E, path_map: {__proto__: b, a: c}}}\n`;

describe('the skill library over HTTP', () => {
  test('returns 304 without a length for its own tag, and identical bytes otherwise', async () => {
    const first = await library();
    const etag = first.headers.get('etag') ?? '';
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    const second = await library({ headers: { 'if-none-match': etag } });
    expect([second.status, second.headers.get('etag'), second.headers.get('content-length')]).toEqual([
      304,
      etag,
      null,
    ]);
    expect(await library({}, '?version=0.2.2')).toMatchObject({ status: 200, body: first.body });
  });
});

interface Registered {
  readonly instance_label: string;
  readonly paused: boolean;
}

/** Registrations come in no order. */
const byLabel = (body: Readonly<Record<string, unknown>>): readonly Registered[] =>
  [...(body['registrations'] as Registered[])].sort((a, b) => (a.instance_label < b.instance_label ? -1 : 1));

describe('registrations', () => {
  const file = (text: string): string => {
    const path = join(bus.data, 'house.yaml');
    writeFileSync(path, text);
    return path;
  };
  const skill = (...args: readonly string[]) =>
    sombus('skill', ...args, '--connection', bus.ready.consumer.client_id, '--data', bus.data, '--json');
  const executor = async (client: Parameters<typeof bearer>[1] = bus.ready.consumer) => {
    const { base_url, workspace, consumer } = bus.ready;
    return call(`${base_url}/tenants/${workspace}/consumers/${consumer.client_id}/skills`, {
      headers: { authorization: await bearer(base_url, client) },
    });
  };

  test('a file with errors is refused as a whole, and every error is listed', async () => {
    const { code, stderr, stdout } = await skill(
      'register',
      '--file',
      file(`${gate('one')}- {instance_label: two}\n`),
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Instance 2 ("two"): skill_id is missing');
    expect(stderr).toContain('nothing was registered');
    expect((await executor()).body).toEqual({ registrations: [] });
  });

  test('a valid file reaches the executor, and a label cannot be used twice', async () => {
    const { code, stdout } = await skill('register', '--file', file(gate('one') + gate('two')));
    expect(code).toBe(0);
    const [first] = JSON.parse(stdout) as { registration_id: string }[];
    const { status, body } = await executor();
    expect(status).toBe(200);
    expect(body['registrations']).toHaveLength(2);
    expect(byLabel(body)[0]).toEqual({
      registration_id: expect.stringMatching(/^r[a-z2-7]{12}$/),
      skill_id: 'smart-stories/gate-by-scope',
      skill_version: '0.2.2',
      instance_label: 'one',
      values: {
        scope: 'destination-path',
        gate_scope_kind: 'E',
        path_map: JSON.parse('{"__proto__": "b", "a": "c"}'),
      },
      paused: false,
    });
    expect(byLabel(body)[0]).toMatchObject({ registration_id: first?.registration_id });
    const again = await skill('register', '--file', file(gate('three') + gate('two')));
    expect([again.code, again.stderr]).toEqual([
      1,
      'refused: The connection has an instance "two" already: remove that one first. Nothing was registered.\n',
    ]);
  });

  test('an instance is paused, resumed and removed', async () => {
    const listed = JSON.parse((await skill('list')).stdout) as {
      registration_id: string;
      instance_label: string;
    }[];
    const id = listed.find(({ instance_label }) => instance_label === 'one')?.registration_id ?? '';
    const seen = async () =>
      byLabel((await executor()).body).map(({ instance_label, paused }) => [instance_label, paused]);
    expect((await skill('pause', id)).code).toBe(0);
    expect(await seen()).toEqual([
      ['one', true],
      ['two', false],
    ]);
    expect((await skill('resume', id)).code).toBe(0);
    expect(await seen()).toEqual([
      ['one', false],
      ['two', false],
    ]);
    expect((await skill('remove', id)).code).toBe(0);
    expect(await seen()).toEqual([['two', false]]);
    expect(await skill('remove', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no registration ${id}`),
    });
  });
});
