import { bearer, post } from '../support/http-client.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { serviceHere } from '../support/one-service.ts';
import { type Portal, populate, portalOf } from './portal-people.ts';

const bus = serviceHere();

let made: Awaited<ReturnType<typeof populate>>;
let [viewer, guest]: Portal[] = [];

beforeAll(async () => {
  made = await populate(bus);
  [viewer, guest] = await Promise.all([portalOf(bus, 'viewer'), portalOf(bus, 'invited editor')]);
});

const dryRun = async (c: string, body: object, portal = viewer) => {
  if (!portal) throw new Error('Nobody has signed in.');
  return portal('validate.message', { subject: { c }, body });
};

const producer = () => bus.ready.producer.client_id;

test.each([
  ['a valid message', () => JSON.stringify(linkCommitted())],
  ['one with a wrong payload', () => JSON.stringify(linkCommitted({ payload: {} }))],
  ['one of another system', () => JSON.stringify(linkCommitted({ originating_system: { system_id: 'x' } }))],
  ['no JSON', () => '{'],
  ['a member that is there twice', () => '{"som_version": "1.0.0", "som_version": "1.0.0"}'],
])('%s gets the verdict of the bus, by the same status and words', async (_what, text) => {
  const message = text();
  const authorization = await bearer(bus.base, bus.ready.producer);
  const direct = await post(`${bus.tenant}/validate`, authorization, message);
  const { status, body } = await dryRun(producer(), { text: message });
  expect(status).toBe(200);
  expect(body).toEqual({ status: direct.status, verdict: direct.body });
});

test('a snapshot is compared with the last one of its story, and nothing is recorded', async () => {
  const first = storyContext();
  const authorization = await bearer(bus.base, bus.ready.producer);
  expect((await post(`${bus.tenant}/messages`, authorization, first)).status).toBe(202);
  const payload = { ...(first['payload'] as object), headline: 'Later' };
  const second = storyContext(payload, { correlation_id: first['correlation_id'] });
  const { body } = await dryRun(producer(), { text: JSON.stringify(second) });
  expect(body.verdict.violations).toMatchObject([{ rule: 'sequence_number.not_increasing' }]);
  const unseen = await viewer?.('workspace.message', { subject: { m: String(second['message_id']) } });
  expect(unseen?.status).toBe(404);
});

test('bytes that are no UTF-8 come as base64, and too many are too many', async () => {
  const { body } = await dryRun(producer(), { base64: Buffer.from([0xff, 0xfe]).toString('base64') });
  expect(body.verdict.violations).toMatchObject([{ rule: 'message.not_json' }]);
  const large = await dryRun(producer(), { text: ' '.repeat(240_001) });
  expect([large.body.status, large.body.verdict.violations[0].rule]).toEqual([413, 'message.too_large']);
  expect((await dryRun(producer(), {})).status).toBe(400);
});

test('a paused or receiving connection would be refused, and says so', async () => {
  const consumer = await dryRun(bus.ready.consumer.client_id, { text: '{}' });
  expect([consumer.body.status, consumer.body.verdict.violations[0].rule]).toEqual([
    403,
    'producer.not_registered',
  ]);
});

test('a vendor asks for its own connections only', async () => {
  const text = JSON.stringify(storyContext());
  const own = await dryRun(made.guest, { text }, guest);
  expect(own.body.verdict.violations.map((one: { rule: string }) => one.rule)).toContain(
    'producer.message_type_not_allowed',
  );
  expect((await dryRun(producer(), { text }, guest)).status).toBe(404);
});
