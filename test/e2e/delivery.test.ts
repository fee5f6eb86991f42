import { limits } from '../../lib/contract/limits.ts';
import { bearer, call, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { serviceHere, withoutReplayLag } from '../support/one-service.ts';
import { sombus } from '../support/service-process.ts';

interface Pulled {
  readonly receipt_handle: string;
  readonly message_id: string;
  readonly correlation_id: string;
  readonly envelope: unknown;
}

withoutReplayLag();
const bus = serviceHere();
let queue: string;
let producer: string;
let consumer: string;

beforeAll(async () => {
  const { base, ready, tenant } = bus;
  queue = `${tenant}/consumers/${ready.consumer.client_id}`;
  producer = await bearer(base, ready.producer);
  consumer = await bearer(base, ready.consumer);
});

const pull = async (query = '?max=10') => {
  const { body } = await call(`${queue}/messages${query}`, {
    headers: { authorization: consumer },
  });
  return body['messages'] as Pulled[];
};
const settle = (route: 'ack' | 'nack', messages: readonly Pulled[]) =>
  post(`${queue}/${route}`, consumer, { receipt_handles: messages.map(one => one.receipt_handle) });
const publish = async (correlation_id: string, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const message = linkCommitted({ correlation_id });
    expect((await post(`${bus.tenant}/messages`, producer, message)).status).toBe(202);
    ids.push(String(message['message_id']));
  }
  return ids;
};
const idsOf = (messages: readonly Pulled[]) => messages.map(({ message_id }) => message_id);
const replay = (...args: string[]) => bus.run('replay', ...args);
const replayTo = (connection: string, from: string, ...more: string[]) =>
  replay('start', '--connection', connection, '--from', from, ...more);

test('a replay sends archived messages again, in order and unchanged, even just after their first delivery', async () => {
  const correlation = '00000000-0000-4000-8000-0000000000c1';
  const from = new Date().toISOString();
  const ids = await publish(correlation, 4);
  const first = await pull();
  expect(idsOf(first)).toEqual(ids);
  await settle('ack', first);
  const { client_id } = bus.ready.consumer;
  const started = await replayTo(client_id, from, '--correlation', correlation);
  expect(started).toMatchObject({
    code: 0,
    record: { status: 'running', sent: 0, connection_id: client_id },
  });
  const again: Pulled[] = [];
  while (again.length < ids.length) {
    const some = await pull('?max=10&wait=2');
    if (some.length > 0) await settle('ack', some);
    again.push(...some);
    // Every run on the way went well, also those in the first seconds, when nothing may be sent
    // yet.
    expect((await replay('status', started.record.replay_id)).record).not.toHaveProperty('problem');
  }
  expect(idsOf(again)).toEqual(ids);
  expect(again.map(({ envelope }) => envelope)).toEqual(first.map(({ envelope }) => envelope));
  let status = await replay('status', started.record.replay_id);
  while (status.record.status === 'running')
    status = await replay('status', started.record.replay_id);
  expect(status.record).toMatchObject({ status: 'finished', sent: 4, percent: 100 });
  expect(await replay('cancel', started.record.replay_id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it is finished'),
  });
});

describe('a connection that is paused', () => {
  // In a process of its own: when it ends, publishes know, which share a look at the consumers for
  // 100 ms.
  const connection = async (...args: string[]) => {
    const { code, stdout, stderr } = await sombus(
      'connection',
      ...args,
      '--data',
      bus.data,
      '--json',
    );
    return { code, stderr, record: stdout === '' ? {} : JSON.parse(stdout) };
  };

  test('as a consumer gets what is queued but nothing new, until it is resumed', async () => {
    const correlation = '00000000-0000-4000-8000-0000000000f1';
    const { client_id } = bus.ready.consumer;
    const [queued] = await publish(correlation, 1);
    expect(await connection('pause', client_id)).toMatchObject({
      code: 0,
      record: { status: 'paused' },
    });
    await publish(correlation, 1);
    expect(await bearer(bus.base, bus.ready.consumer)).toMatch(/^Bearer /);
    const before = await pull();
    expect(idsOf(before)).toEqual([queued]);
    expect((await settle('ack', before)).body['failed']).toEqual([]);
    const refused = await replay(
      'start',
      '--connection',
      client_id,
      '--from',
      new Date(Date.now() - 1_000).toISOString(),
    );
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is paused') });
    expect(await connection('resume', client_id)).toMatchObject({ record: { status: 'active' } });
    const [after] = await publish(correlation, 1);
    const resumed = await pull();
    expect(idsOf(resumed)).toEqual([after]);
    await settle('ack', resumed);
  });
});

/**
 * A pull that does not wait is answered: by then the polls begun before it, which go the same way,
 * are at the queue.
 */
const letPollsBegin = async (): Promise<void> => {
  expect(idsOf(await pull('?max=1&wait=0'))).toEqual([]);
};

const shortestVisibility = limits.pullVisibilitySeconds.min;

test('of two long polls one responds as soon as a message arrives, and the other keeps waiting', async () => {
  const leaving = new AbortController();
  let ended = 0;
  const poll = async (): Promise<readonly Pulled[]> => {
    const init = { headers: { authorization: consumer }, signal: leaving.signal };
    const { body } = await call(
      `${queue}/messages?max=10&wait=20&visibility=${shortestVisibility}`,
      init,
    );
    ended += 1;
    return body['messages'] as Pulled[];
  };
  const polls = [poll(), poll()];
  await letPollsBegin();
  const [id] = await publish('00000000-0000-4000-8000-0000000000d1', 1);
  const pulled = await Promise.race(polls);
  expect(idsOf(pulled)).toEqual([id]);
  expect((await settle('ack', pulled)).body['failed']).toEqual([]);
  expect(ended).toBe(1);
  leaving.abort();
  expect((await Promise.allSettled(polls)).map(({ status }) => status).sort()).toEqual([
    'fulfilled',
    'rejected',
  ]);
});
