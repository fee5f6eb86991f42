import { bearer, call as busCall } from '../support/http-client.ts';
import { portalHere, told } from './portal-people.ts';

const portal = portalHere();
const { bus, viewer, editor, guest } = portal;

const executor = () => ({ c: bus.ready.consumer.client_id });

const gate = (label: string): string =>
  `- {skill_id: smart-stories/gate-by-scope, instance_label: ${label}, values: {scope: destination-path, gate_scope_kind: E, path_map: {__proto__: b, a: c}}}\n`;

const listed = async (): Promise<{ instance_label: string; registration_id: string }[]> =>
  (await viewer('skill.list', { subject: executor() })).body.registrations;
const labels = async () => (await listed()).map(one => one.instance_label).sort();

const register = (file: string, subject = executor()) =>
  editor('skill.register', { subject, body: { file } });

test('a label of 256 characters is registered, and no longer one', async () => {
  expect(await register(gate('é'.repeat(257)))).toMatchObject({
    status: 409,
    body: {
      message: expect.stringMatching(
        /^The instance_label "é+…" has 257 characters: at most 256 can be registered\.$/,
      ),
    },
  });
  const { body } = await register(gate('é'.repeat(256)));
  const r = body.registrations[0].registration_id;
  expect((await editor('skill.end', { subject: { ...executor(), r } })).status).toBe(200);
});

test('a skills file registers all of its instances, or none and says why', async () => {
  expect((await register(`${gate('one')}- {instance_label: two}\n`)).body).toEqual({
    registrations: [],
    problems: [expect.stringContaining('Instance 2 ("two"): skill_id is missing')],
  });
  expect(await labels()).toEqual([]);
  expect((await register(gate('one') + gate('two'))).body.problems).toEqual([]);
  expect(await labels()).toEqual(['one', 'two']);
  expect(told(await register(gate('two')))).toMatch(/^409 .*"two" already/);
  const authorization = await bearer(bus.base, bus.ready.consumer);
  const url = `${bus.tenant}/consumers/${executor().c}/skills`;
  expect((await busCall(url, { headers: { authorization } })).body['registrations']).toHaveLength(
    2,
  );
});

test('the instances come out as a file that can be registered elsewhere', async () => {
  const { body } = await viewer('skill.file', { subject: executor() });
  const request = { kind: 'consumer', app: 'Second executor', receives: ['link.*'] };
  const subject = { c: (await editor('connection.make', { body: request })).body.connection_id };
  expect((await register(body.yaml, subject)).body.problems).toEqual([]);
  expect((await viewer('skill.file', { subject })).body.yaml).toBe(body.yaml);
});

test('an instance is paused, replaced and ended by the one that was seen; the second of two people is told', async () => {
  const r = (await listed()).find(one => one.instance_label === 'one')?.registration_id ?? '';
  const subject = { ...executor(), r };
  const replace = (file: string) => editor('skill.replace', { subject, body: { file } });
  expect((await viewer('skill.pause', { subject })).status).toBe(403);
  expect((await editor('skill.pause', { subject })).body.paused).toBe(true);
  expect((await replace(gate('x') + gate('y'))).body.message).toBe(
    'The file must have exactly one instance.',
  );
  expect((await replace(gate('two'))).status).toBe(409);
  const replaced = await replace(gate('three'));
  expect(replaced.body.registrations).toMatchObject([{ instance_label: 'three', paused: true }]);
  expect(told(await replace(gate('four')))).toMatch(/^409 portal.changed:/);
  expect((await editor('skill.end', { subject })).body.code).toBe('portal.changed');
  const next = { ...executor(), r: replaced.body.registrations[0].registration_id };
  const shown = await viewer('skill.show', { subject: next });
  expect(shown.body.values).toMatchObject({ scope: 'destination-path', gate_scope_kind: 'E' });
  expect((await editor('skill.end', { subject: next })).status).toBe(200);
  expect(await labels()).toEqual(['two']);
  const changes: { what: string; facts: object }[] = (await portal.changes()).slice(0, 3);
  expect(changes.map(({ what }) => what)).toEqual(['skill.end', 'skill.replace', 'skill.pause']);
  expect(changes[0]?.facts).toMatchObject({ connection: executor().c, instances: 'three' });
});

test('a vendor sees no executor of the house, and a producer executes nothing', async () => {
  expect((await guest('skill.list', { subject: executor() })).status).toBe(404);
  const { own } = portal.made;
  expect(told(await register(gate('one'), { c: own }))).toBe(
    `409 portal.declined: ${own} is a producer: skills are registered for the consumer that executes them.`,
  );
});
