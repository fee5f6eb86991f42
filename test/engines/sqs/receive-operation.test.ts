import { sqsOperations } from '../../../lib/engines/sqs/engine.ts';
import { openStore } from '../../../lib/engines/store.ts';
import type { JsonObject } from '../../../lib/json/value.ts';
import { FrozenClock } from '../support/frozen-clock.ts';

const scene = () => {
  const store = openStore();
  const clock = new FrozenClock();
  let ids = 0;
  const QueueUrl = '/q.fifo';
  const { operations, endPolls } = sqsOperations(store, { clock, newId: () => `id-${++ids}` });
  const call = (name: string, input: JsonObject, gone = new AbortController().signal) =>
    operations.get(name)?.(input, { endpoint: '', gone });
  const send = (body: string) =>
    call('SendMessage', { QueueUrl, MessageBody: body, MessageGroupId: 'g', MessageDeduplicationId: body });
  const receive = (gone?: AbortSignal, WaitTimeSeconds = 0) =>
    call('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds }, gone);
  call('CreateQueue', { QueueName: 'q.fifo', Attributes: { FifoQueue: 'true' } });
  return { store, clock, call, send, receive, endPolls };
};

const bodies = (response: unknown) =>
  JSON.stringify(response)
    .match(/"Body":"\w+"/g)
    ?.map(match => match.slice(8, -1)) ?? [];

test('what is there is answered synchronously, and only a poll waits', async () => {
  const { send, receive } = scene();
  const poll = receive(undefined, 20);
  expect(poll).toBeInstanceOf(Promise);
  expect(send('one')).not.toBeInstanceOf(Promise);
  expect(bodies(await poll)).toEqual(['one']);
  expect(receive()).toEqual({});
});

test('messages whose receiver disconnects before the response is written are visible again, in order', () => {
  const { send, receive } = scene();
  send('one');
  send('two');
  const leaver = new AbortController();
  receive(leaver.signal);
  expect(bodies(receive())).toEqual([]);
  leaver.abort();
  expect(bodies(receive())).toEqual(['one', 'two']);
});

test('a receiver that disconnected before takes nothing, also at the end of a poll', async () => {
  const { send, receive } = scene();
  const leaver = new AbortController();
  const poll = receive(leaver.signal, 20);
  leaver.abort();
  send('one');
  expect(await poll).toEqual({});
  expect(bodies(receive(leaver.signal))).toEqual([]);
  expect(bodies(receive())).toEqual(['one']);
});

test('a receiver that disconnects late leaves messages alone that are received again', () => {
  const { clock, send, receive } = scene();
  send('one');
  const late = new AbortController();
  receive(late.signal);
  clock.advance(30_000);
  expect(bodies(receive())).toEqual(['one']);
  late.abort();
  expect(bodies(receive())).toEqual([]);
});

test('many polls share one timer, set for the nearest deadline', async () => {
  const { clock, receive } = scene();
  const polls = [20, 10, 5, 20].map(seconds => receive(undefined, seconds));
  expect(clock.pending).toBe(1);
  const ended: number[] = [];
  for (const [index, poll] of polls.entries()) Promise.resolve(poll).then(() => ended.push(index));
  for (const expected of [[2], [2, 1], [2, 1, 0, 3]]) {
    clock.advance(expected.length === 4 ? 10_000 : 5_000);
    await Promise.resolve();
    await Promise.resolve();
    expect(ended).toEqual(expected);
  }
  expect(clock.pending).toBe(0);
});

test('polls that are ended answer empty, and later ones do not wait', async () => {
  const { receive, endPolls, clock } = scene();
  const poll = receive(undefined, 20);
  endPolls();
  expect(await poll).toEqual({});
  expect(receive(undefined, 20)).toEqual({});
  expect(clock.pending).toBe(0);
});
