import { bearer, call as busCall } from '../support/http-client.ts';
import { serviceHere } from '../support/one-service.ts';
import { populate, threePeople } from './portal-people.ts';

const bus = serviceHere();

let made: Awaited<ReturnType<typeof populate>>;
let people: Awaited<ReturnType<typeof threePeople>>;

beforeAll(async () => {
  made = await populate(bus);
  people = await threePeople(bus);
});

const executor = () => ({ c: bus.ready.consumer.client_id });

const gate = (label: string, kind = 'E'): string =>
  `- {skill_id: smart-stories/gate-by-scope, instance_label: ${label}, values: {scope: destination-path, gate_scope_kind: ${kind}, path_map: {__proto__: b, a: c}}}\n`;

const labels = async (): Promise<readonly string[]> => {
  const { body } = await people.viewer('skill.list', { subject: executor() });
  return body.registrations.map((one: { instance_label: string }) => one.instance_label);
};

const register = (file: string) => people.editor('skill.register', { subject: executor(), body: { file } });

test('a label of 256 characters is registered, and no longer one', async () => {
  const long = await register(gate('é'.repeat(257)));
  expect([long.status, long.body.message]).toEqual([
    409,
    expect.stringMatching(/^The instance_label "é+…" has 257 characters: at most 256 can be registered\.$/),
  ]);
  const { body } = await register(gate('é'.repeat(256)));
  const r = body.registrations[0].registration_id;
  expect((await people.editor('skill.end', { subject: { ...executor(), r } })).status).toBe(200);
});

test('a skills file registers all of its instances, or none and says why', async () => {
  const wrong = await register(`${gate('one')}- {instance_label: two}\n`);
  expect(wrong.body).toEqual({
    registrations: [],
    problems: [expect.stringContaining('Instance 2 ("two"): skill_id is missing')],
  });
  expect(await labels()).toEqual([]);
  const right = await register(gate('one') + gate('two'));
  expect(right.body.problems).toEqual([]);
  expect((await labels()).toSorted()).toEqual(['one', 'two']);
  const again = await register(gate('two'));
  expect([again.status, again.body.message]).toEqual([409, expect.stringContaining('"two" already')]);
  const { base_url, workspace } = bus.ready;
  const authorization = await bearer(base_url, bus.ready.consumer);
  const { body } = await busCall(`${base_url}/tenants/${workspace}/consumers/${executor().c}/skills`, {
    headers: { authorization },
  });
  expect(body['registrations']).toHaveLength(2);
});

test('the instances come out as a file that can be registered elsewhere', async () => {
  const { body } = await people.viewer('skill.file', { subject: executor() });
  const request = { kind: 'consumer', app: 'Second executor', receives: ['link.*'] };
  const { body: other } = await people.editor('connection.make', { body: request });
  const subject = { c: other.connection_id };
  const copied = await people.editor('skill.register', { subject, body: { file: body.yaml } });
  expect(copied.body.problems).toEqual([]);
  expect((await people.viewer('skill.file', { subject })).body.yaml).toBe(body.yaml);
});

test('an instance is paused, replaced and ended by the one that was seen; the second of two people is told', async () => {
  const { body: list } = await people.viewer('skill.list', { subject: executor() });
  const { registration_id: r } = list.registrations.find(
    (one: { instance_label: string }) => one.instance_label !== 'two',
  );
  const subject = { ...executor(), r };
  expect((await people.viewer('skill.pause', { subject })).status).toBe(403);
  expect((await people.editor('skill.pause', { subject })).body.paused).toBe(true);
  const two = await people.editor('skill.replace', { subject, body: { file: gate('x') + gate('y') } });
  expect(two.body.message).toBe('The file must have exactly one instance.');
  const taken = await people.editor('skill.replace', { subject, body: { file: gate('two') } });
  expect(taken.status).toBe(409);
  const replaced = await people.editor('skill.replace', { subject, body: { file: gate('three') } });
  expect(replaced.body.registrations).toMatchObject([{ instance_label: 'three', paused: true }]);
  const late = await people.editor('skill.replace', { subject, body: { file: gate('four') } });
  expect([late.status, late.body.code]).toEqual([409, 'portal.changed']);
  expect((await people.editor('skill.end', { subject })).body.code).toBe('portal.changed');
  const [{ registration_id: next }] = replaced.body.registrations;
  const shown = await people.viewer('skill.show', { subject: { ...executor(), r: next } });
  expect(shown.body.values).toMatchObject({ scope: 'destination-path', gate_scope_kind: 'E' });
  expect((await people.editor('skill.end', { subject: { ...executor(), r: next } })).status).toBe(200);
  expect(await labels()).toEqual(['two']);
  const { body } = await people.viewer('organisation.changes', { subject: { o: made.organisation } });
  expect(body.changes.slice(0, 3).map((one: { what: string }) => one.what)).toEqual([
    'skill.end',
    'skill.replace',
    'skill.pause',
  ]);
});

test('a vendor sees no executor of the house, and a producer executes nothing', async () => {
  expect((await people.guest('skill.list', { subject: executor() })).status).toBe(404);
  const producer = await people.editor('skill.register', {
    subject: { c: made.own },
    body: { file: gate('one') },
  });
  expect([producer.status, producer.body.message]).toEqual([
    409,
    `${made.own} is a producer: skills are registered for the consumer that executes them.`,
  ]);
});
