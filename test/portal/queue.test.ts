import { eventually } from '../support/eventually.ts';
import { bearer, call as busCall, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { serviceHere, withoutReplayLag } from '../support/one-service.ts';
import { populate, threePeople } from './portal-people.ts';

withoutReplayLag();
const bus = serviceHere();

let made: Awaited<ReturnType<typeof populate>>;
let people: Awaited<ReturnType<typeof threePeople>>;
let began = '';
const published: { readonly id: string; readonly correlation: string }[] = [];

beforeAll(async () => {
  made = await populate(bus);
  people = await threePeople(bus);
  began = new Date(Date.now() - 1).toISOString();
  const authorization = await bearer(bus.base, bus.ready.producer);
  for (let count = 0; count < 3; count += 1) {
    const message = linkCommitted();
    published.push({ id: String(message['message_id']), correlation: String(message['correlation_id']) });
    expect((await post(`${bus.tenant}/messages`, authorization, message)).status).toBe(202);
  }
});

const consumer = () => ({ c: bus.ready.consumer.client_id });

const pullAll = async () => {
  const authorization = await bearer(bus.base, bus.ready.consumer);
  const { body } = await busCall(`${bus.tenant}/consumers/${consumer().c}/messages`, {
    headers: { authorization },
  });
  return body['messages'] as readonly { readonly message_id: string; readonly receipt_handle: string }[];
};

test('a viewer sees what waits, without receiving it', async () => {
  const { status, body } = await people.viewer('queue.show', { subject: consumer() });
  expect(status).toBe(200);
  expect(body).toMatchObject({ visible: 3, in_flight: 0, unsent: 0, is_cut: false, blocked: [], skips: [] });
  expect(body.messages.map((one: { message_id: string }) => one.message_id)).toEqual(
    published.map(({ id }) => id),
  );
  expect(body.messages[0]).toMatchObject({
    state: 'queued',
    message_type: 'link.committed',
    system_id: 'demo-ncs',
    correlation_id: published[0]?.correlation,
  });
  expect(JSON.stringify(body)).not.toContain('payload');
  const again = await people.viewer('queue.show', { subject: consumer() });
  expect(again.body.visible).toBe(3);
});

test('a producer has no queue, and a vendor sees none of the house', async () => {
  const producer = await people.viewer('queue.show', { subject: { c: made.own } });
  expect([producer.status, producer.body.message]).toEqual([
    409,
    `There is no consumer connection ${made.own}.`,
  ]);
  expect((await people.guest('queue.show', { subject: consumer() })).status).toBe(404);
});

test('one message is skipped when its id is said twice, and it is recorded who did it', async () => {
  const [first] = published;
  const message_id = first?.id;
  const subject = consumer();
  const once = await people.editor('queue.skip', { subject, body: { message_id } });
  expect(once.status).toBe(400);
  const long = 'm'.repeat(257);
  const tooLong = await people.editor('queue.skip', { subject, body: { message_id: long, confirm: long } });
  expect(tooLong.status).toBe(400);
  const viewer = await people.viewer('queue.skip', { subject, body: { message_id, confirm: message_id } });
  expect(viewer.status).toBe(403);
  const twice = await people.editor('queue.skip', { subject, body: { message_id, confirm: message_id } });
  expect(twice.body.skips).toEqual([{ message_id, skipped_at: expect.any(String) }]);
  expect((await people.viewer('queue.show', { subject })).body.skips).toEqual(twice.body.skips);
  const { body } = await people.viewer('organisation.changes', { subject: { o: made.organisation } });
  expect(body.changes[0]).toMatchObject({
    by: 'the-editor',
    what: 'message.skip',
    facts: { connection: subject.c, message: message_id },
  });
  const received = await pullAll();
  expect(received.map(one => one.message_id).sort()).toEqual(
    published
      .slice(1)
      .map(({ id }) => id)
      .sort(),
  );
  const seen = await people.viewer('queue.show', { subject });
  expect(seen.body.blocked.toSorted()).toEqual(
    published
      .slice(1)
      .map(({ correlation }) => correlation)
      .sort(),
  );
  const authorization = await bearer(bus.base, bus.ready.consumer);
  const handles = { receipt_handles: received.map(one => one.receipt_handle) };
  expect((await post(`${bus.tenant}/consumers/${subject.c}/ack`, authorization, handles)).status).toBe(200);
});

describe('a replay', () => {
  const subject = consumer;
  const count = (body: object) => people.editor('queue.countReplay', { subject: subject(), body });

  test('is counted before it starts', async () => {
    expect((await count({ from: began })).body).toEqual({ messages: 3 });
    const [, second] = published;
    expect((await count({ from: began, correlation_id: second?.correlation })).body).toEqual({ messages: 1 });
    expect((await count({ from: began, type: 'story.*' })).body).toEqual({ messages: 0 });
    expect((await count({ from: began, to: began })).status).toBe(409);
  });

  test.each([
    [{ from: 'yesterday' }, 400, 'Give the start of the range'],
    [{ from: '2020-01-01T00:00:00Z' }, 409, 'The archive keeps'],
    [{ from: '2999-01-01T00:00:00Z', to: '2999-01-02T00:00:00Z' }, 409, 'ends in the future'],
  ])('of %j is declined, counted or started', async (body, status, words) => {
    for (const id of ['queue.countReplay', 'queue.startReplay'] as const) {
      const response = await people.editor(id, { subject: subject(), body });
      expect([response.status, response.body.message]).toEqual([status, expect.stringContaining(words)]);
    }
  });

  test('of a mistyped type is declined with the type that was meant', async () => {
    const mistyped = { from: began, type: 'link.comitted' };
    expect((await count(mistyped)).body.message).toContain('Did you mean "link.committed"?');
  });

  test('is cancelled once, and recorded', async () => {
    const started = await people.editor('queue.startReplay', { subject: subject(), body: { from: began } });
    expect(started.body).toMatchObject({ status: 'running', sent: 0, connection_id: subject().c });
    const names = { ...subject(), y: started.body.replay_id };
    expect((await people.viewer('queue.cancelReplay', { subject: names })).status).toBe(403);
    expect((await people.editor('queue.cancelReplay', { subject: names })).body.status).toBe('cancelled');
    const again = await people.editor('queue.cancelReplay', { subject: names });
    expect([again.status, again.body.message]).toEqual([
      409,
      `The replay ${names.y} is not running: it is cancelled.`,
    ]);
    const elsewhere = { c: made.own, y: names.y };
    expect((await people.viewer('queue.replay', { subject: elsewhere })).status).toBe(404);
    const { body } = await people.viewer('organisation.changes', { subject: { o: made.organisation } });
    expect(body.changes.slice(0, 2).map((one: { what: string }) => one.what)).toEqual([
      'replay.cancel',
      'replay.start',
    ]);
  });

  test('sends the messages again, shows its progress, and is listed', async () => {
    const [, second] = published;
    const body = { from: began, correlation_id: second?.correlation };
    const started = await people.editor('queue.startReplay', { subject: subject(), body });
    const names = { ...subject(), y: started.body.replay_id };
    await eventually(
      async () => (await people.viewer('queue.replay', { subject: names })).body.status === 'finished',
    );
    const shown = await people.viewer('queue.replay', { subject: names });
    expect(shown.body).toMatchObject({ percent: 100, sent: 1, correlation_id: second?.correlation });
    const list = await people.viewer('queue.replays', { subject: subject() });
    expect(list.body.replays.map((one: { status: string }) => one.status)).toEqual(['finished', 'cancelled']);
    expect(list.body.next).toBeUndefined();
  });
});
