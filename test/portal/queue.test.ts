import { eventually } from '../support/eventually.ts';
import { bearer, call as busCall, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { withoutReplayLag } from '../support/one-service.ts';
import { portalHere, told } from './portal-people.ts';

withoutReplayLag();
const portal = portalHere();
const { bus, viewer, editor, guest } = portal;

let began = '';
const published: { readonly message_id: string; readonly correlation_id: string }[] = [];

beforeAll(async () => {
  began = new Date(Date.now() - 1).toISOString();
  const authorization = await bearer(bus.base, bus.ready.producer);
  for (let count = 0; count < 3; count += 1) {
    const message = linkCommitted();
    published.push({
      message_id: String(message['message_id']),
      correlation_id: String(message['correlation_id']),
    });
    expect((await post(`${bus.tenant}/messages`, authorization, message)).status).toBe(202);
  }
});

const consumer = () => ({ c: bus.ready.consumer.client_id });
const show = async () => (await viewer('queue.show', { subject: consumer() })).body;

test('a viewer sees what waits, without receiving it', async () => {
  const body = await show();
  expect(body).toMatchObject({
    visible: 3,
    in_flight: 0,
    unsent: 0,
    is_cut: false,
    blocked: [],
    skips: [],
  });
  expect(body).toMatchObject({ may_skip: false, may_replay: false });
  expect(body.messages).toEqual(
    published.map((one, at) => ({
      ...{
        ...one,
        state: 'queued',
        message_type: 'link.committed',
        system_id: 'demo-ncs',
        is_next: at === 0,
        receive_count: 0,
      },
      ...{
        accepted_at: expect.any(String),
        sent_at: expect.any(String),
        size_bytes: expect.any(Number),
      },
      facts: expect.objectContaining({ asset_id: 'clip-1' }),
    })),
  );
  const vanishes = Date.parse(body.oldest_accepted_at) + 14 * 86_400_000;
  expect(body.oldest_vanishes_at).toBe(new Date(vanishes).toISOString());
  expect((await show()).visible).toBe(3);
});

test('a producer has no queue, and a vendor sees none of the house', async () => {
  const { own } = portal.made;
  expect(told(await viewer('queue.show', { subject: { c: own } }))).toBe(
    `409 portal.declined: There is no consumer connection ${own}.`,
  );
  expect((await guest('queue.show', { subject: consumer() })).status).toBe(404);
});

interface Pulled {
  readonly message_id: string;
  readonly replay_id?: string;
  readonly receipt_handle: string;
}

const queue = () => `${bus.tenant}/consumers/${consumer().c}`;

/** As the consumer's own program. */
const pull = async (): Promise<readonly Pulled[]> => {
  const authorization = await bearer(bus.base, bus.ready.consumer);
  const { body } = await busCall(`${queue()}/messages`, { headers: { authorization } });
  return body['messages'] as readonly Pulled[];
};

const acknowledge = async (received: readonly Pulled[]): Promise<void> => {
  const authorization = await bearer(bus.base, bus.ready.consumer);
  const handles = { receipt_handles: received.map(one => one.receipt_handle) };
  expect((await post(`${queue()}/ack`, authorization, handles)).status).toBe(200);
};

test('one message is skipped when its id is said twice, and it is recorded who did it', async () => {
  const [first, ...others] = published;
  const message_id = first?.message_id ?? '';
  const subject = consumer();
  const skip = (person: typeof viewer, body: object) => person('queue.skip', { subject, body });
  expect((await skip(editor, { message_id })).status).toBe(400);
  const long = 'm'.repeat(257);
  expect((await skip(editor, { message_id: long, confirm: long })).status).toBe(400);
  expect((await skip(viewer, { message_id, confirm: message_id })).status).toBe(403);
  const { skips } = (await skip(editor, { message_id, confirm: message_id })).body;
  expect(skips).toEqual([{ message_id, skipped_at: expect.any(String) }]);
  expect((await show()).skips).toEqual(skips);
  expect((await portal.changes())[0]).toMatchObject({
    by: 'the-editor',
    what: 'message.skip',
    facts: { connection: subject.c, message: message_id },
  });
  const received = await pull();
  expect(received.map(one => one.message_id).sort()).toEqual(
    others.map(one => one.message_id).sort(),
  );
  const blocked: readonly { correlation_id: string; why: string }[] = (await show()).blocked;
  expect(blocked.map(one => one.correlation_id).sort()).toEqual(
    others.map(one => one.correlation_id).sort(),
  );
  expect(new Set(blocked.map(({ why }) => why))).toEqual(new Set(['received']));
  await acknowledge(received);
});

describe('a replay', () => {
  const count = (body: object) => editor('queue.countReplay', { subject: consumer(), body });
  const start = async (body: object = {}) => {
    const started = await editor('queue.startReplay', {
      subject: consumer(),
      body: { from: began, ...body },
    });
    expect(started.body).toMatchObject({ status: 'running', sent: 0, connection_id: consumer().c });
    return { ...consumer(), y: started.body.replay_id };
  };

  test('sends again what was skipped, and its own copy is skipped by its name', async () => {
    const { message_id = '', correlation_id } = published[0] ?? {};
    const subject = await start({ correlation_id, message_id });
    expect((await viewer('queue.replay', { subject })).body).toMatchObject({ message_id });
    await eventually(async () => (await show()).messages.length === 1);
    const [shown] = (await show()).messages;
    expect(shown).toMatchObject({ message_id, replay_id: subject.y, is_next: true });
    const stale = { message_id, confirm: message_id };
    const refused = await editor('queue.skip', { subject: consumer(), body: stale });
    expect(told(refused)).toBe(
      `409 portal.changed: Nothing was skipped: ${message_id} is not next any more. Next is the link.committed ${message_id} (of the replay ${subject.y}).`,
    );
    const [received, ...more] = await pull();
    expect([received?.message_id, more]).toEqual([message_id, []]);

    const again = await start({ correlation_id });
    await acknowledge(received ? [received] : []);
    await eventually(async () => (await show()).messages[0]?.replay_id === again.y);
    const body = { ...stale, replay_id: again.y };
    const { skips } = (await editor('queue.skip', { subject: consumer(), body })).body;
    expect(skips).toEqual([
      { message_id, skipped_at: expect.any(String) },
      { message_id, replay_id: again.y, skipped_at: expect.any(String) },
    ]);
  });

  test('is counted before it starts', async () => {
    expect((await count({ from: began })).body).toEqual({ messages: 3 });
    const { correlation_id } = published[1] ?? {};
    expect((await count({ from: began, correlation_id })).body).toEqual({ messages: 1 });
    expect((await count({ from: began, type: 'story.*' })).body).toEqual({ messages: 0 });
    const { message_id } = published[2] ?? {};
    expect((await count({ from: began, message_id })).body).toEqual({ messages: 1 });
    const { correlation_id: other } = published[1] ?? {};
    const missing = { from: began, message_id, correlation_id: other };
    expect(told(await editor('queue.startReplay', { subject: consumer(), body: missing }))).toBe(
      '409 portal.declined: Nothing would be sent: the consumer does not subscribe to this message, or the archive does not have it any more.',
    );
    expect((await count({ from: began, to: began })).status).toBe(409);
  });

  test.each([
    [{ from: 'yesterday' }, 400, 'Give the start of the range'],
    [{ from: '2026-11-31T00:00:00Z' }, 400, 'as times that exist'],
    [{ from: '2026-02-30T00:00:00Z' }, 400, 'as times that exist'],
    [{ from: began, to: '2026-02-30T00:00:00Z' }, 400, 'as times that exist'],
    [{ from: '2026-05-04T09:00:00' }, 400, 'as times that exist'],
    [
      { from: '1999-01-01T00:00:00Z', to: '2000-01-01T00:00:00Z' },
      409,
      'the range ends before its beginning',
    ],
    [{ from: '2999-01-01T00:00:00Z', to: '2999-01-02T00:00:00Z' }, 409, 'ends in the future'],
  ])('of %j is declined, counted or started', async (body, status, words) => {
    for (const id of ['queue.countReplay', 'queue.startReplay'] as const) {
      const response = await editor(id, { subject: consumer(), body });
      expect([response.status, response.body.message]).toEqual([
        status,
        expect.stringContaining(words),
      ]);
    }
  });

  test('of a mistyped type is declined with the type that was meant', async () => {
    const mistyped = { from: began, type: 'link.comitted' };
    expect((await count(mistyped)).body.message).toContain('Did you mean "link.committed"?');
  });

  test('is cancelled once, and recorded', async () => {
    // It goes on until then.
    withoutReplayLag(3_600_000);
    const subject = await start();
    expect((await editor('queue.cancelReplay', { subject })).body.status).toBe('cancelled');
    withoutReplayLag();
    expect((await viewer('queue.cancelReplay', { subject })).status).toBe(403);
    expect(told(await editor('queue.cancelReplay', { subject }))).toBe(
      `409 portal.declined: The replay ${subject.y} is not running: it is cancelled.`,
    );
    const elsewhere = { c: portal.made.own, y: subject.y };
    expect((await viewer('queue.replay', { subject: elsewhere })).status).toBe(404);
    expect((await portal.changes()).slice(0, 2)).toMatchObject([
      { what: 'replay.cancel' },
      { what: 'replay.start' },
    ]);
  });

  test('sends the messages again, shows its progress, and is listed', async () => {
    const { correlation_id } = published[1] ?? {};
    const subject = await start({ correlation_id });
    const shown = async () => (await viewer('queue.replay', { subject })).body;
    await eventually(async () => (await shown()).status === 'finished');
    expect(await shown()).toMatchObject({ percent: 100, sent: 1, correlation_id });
    const { body } = await viewer('queue.replays', { subject: consumer() });
    expect(body).toEqual({ replays: expect.any(Array) });
    expect(body.replays.slice(0, 2)).toMatchObject([
      { status: 'finished' },
      { status: 'cancelled' },
    ]);
  });

  test('of more than the archive has is clamped to the archive, and says so', async () => {
    const body = { from: '1999-01-01T00:00:00Z', type: 'link.committed' };
    const note = expect.stringMatching(
      /^The archive keeps 30 days: the range begins at 20\d\d-.*Z\.$/,
    );
    expect((await count(body)).body).toEqual({ messages: expect.any(Number), note });
    const started = await editor('queue.startReplay', { subject: consumer(), body });
    expect(started.body).toMatchObject({ status: 'running', note });
    expect(started.body.note).toContain(started.body.from);
    await editor('queue.cancelReplay', { subject: { ...consumer(), y: started.body.replay_id } });
  });
});
