import { sqsOperations } from '../../../lib/engines/sqs/engine.ts';
import { openStore } from '../../../lib/engines/store.ts';
import type { JsonObject } from '../../../lib/json/value.ts';
import { FrozenClock } from '../support/frozen-clock.ts';

const scene = () => {
  const store = openStore();
  const clock = new FrozenClock();
  const start = () => sqsOperations(store, { clock }).operations;
  let operations = start();
  const call = (name: string, input: JsonObject = {}) => {
    const given = {
      ...(name === 'CreateQueue' ? { QueueName: 'q.fifo' } : { QueueUrl: '/q.fifo' }),
      ...input,
    };
    return operations.get(name)?.(given, { endpoint: '', gone: new AbortController().signal });
  };
  let sent = 0;
  const send = (given?: string) => {
    sent += 1;
    const id = given ?? `${sent}`;
    return call('SendMessage', { MessageBody: id, MessageGroupId: 'g', MessageDeduplicationId: id });
  };
  call('CreateQueue', { Attributes: { FifoQueue: 'true', Policy: undefined } });
  const count = (table: string) =>
    store.sql<{ count: number }>(`SELECT count(*) AS count FROM ${table}`).get()?.count;
  const restart = () => {
    operations = start();
  };
  return { store, clock, call, send, count, restart };
};

test('a purge and a delete leave nothing of a queue', () => {
  const { call, send, count } = scene();
  for (let index = 0; index < 30; index += 1) send();
  call('ReceiveMessage', { MaxNumberOfMessages: 10 });
  call('PurgeQueue');
  expect(call('ReceiveMessage')).toEqual({});
  expect([count('sqs_messages'), count('sqs_receives'), count('sqs_groups')]).toEqual([0, 0, 0]);
  for (let index = 0; index < 5; index += 1) send(`again-${index}`);
  expect(count('sqs_messages')).toBe(5);
  call('DeleteQueue');
  expect([count('sqs_messages'), count('sqs_groups')]).toEqual([0, 0]);
});

test('a purged queue still recognises duplicates, and a queue created anew does not', () => {
  const { call, send } = scene();
  const first = send('same');
  call('PurgeQueue');
  expect(send('same')).toEqual(first);
  expect(call('ReceiveMessage')).toEqual({});
  call('DeleteQueue');
  call('CreateQueue', { Attributes: { FifoQueue: 'true' } });
  expect(send('same')).not.toEqual(first);
});

test('sends of more than five minutes ago are forgotten little by little', () => {
  const { clock, send, count } = scene();
  for (let index = 0; index < 100; index += 1) send();
  clock.advance(300_000);
  for (let index = 0; index < 64; index += 1) send();
  expect(count('sqs_sends')).toBe(64);
});

test('sequence numbers are not used again, whatever was deleted before a restart', () => {
  const { call, send, restart } = scene();
  const numbers = Array.from({ length: 3 }, () => {
    const response = send();
    call('PurgeQueue');
    restart();
    return JSON.parse(JSON.stringify(response)).SequenceNumber;
  });
  expect(new Set(numbers).size).toBe(3);
  expect([...numbers].sort()).toEqual(numbers);
});

test('a change that fails leaves nothing behind, and the next one succeeds', () => {
  const { store, call, send } = scene();
  const { sql } = store;
  send('kept');
  const failing = jest.spyOn(store, 'sql').mockImplementation(text => {
    if (text.startsWith('INSERT INTO sqs_messages')) throw new Error('disk full');
    return sql(text);
  });
  expect(() => send('lost')).toThrow('disk full');
  failing.mockRestore();
  send('lost');
  const response = JSON.stringify(call('ReceiveMessage', { MaxNumberOfMessages: 10 }));
  expect(response.match(/"Body":"\w+"/g)).toEqual(['"Body":"kept"', '"Body":"lost"']);
});

test('messages behind a backlog are compressed, and are received as they were sent', () => {
  const { call, store } = scene();
  const body = (index: number) => `${index} ${'the river rose again '.repeat(50)}`;
  const sendNumber = (index: number) =>
    call('SendMessage', {
      MessageBody: body(index),
      MessageGroupId: `g${index}`,
      MessageDeduplicationId: `${index}`,
      MessageAttributes: { some: { DataType: 'String', StringValue: 'x' }, none: undefined },
    });
  store.transaction(() => {
    for (let index = 0; index < 1_002; index += 1) sendNumber(index);
  });
  const compressed = store
    .sql<{ sequence: number }>("SELECT sequence FROM sqs_messages WHERE coding = 'deflate-raw'")
    .all();
  expect(compressed).toHaveLength(2);
  store.sql('DELETE FROM sqs_groups WHERE name < ? AND name <> ?').run('g1001', 'g1000');
  store.sql('DELETE FROM sqs_groups WHERE name > ?').run('g1001');
  const response = call('ReceiveMessage', { MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] });
  const MessageAttributes = { some: { DataType: 'String', StringValue: 'x' } };
  expect(response).toMatchObject({
    Messages: [1_000, 1_001].map(index => ({ Body: body(index), MessageAttributes })),
  });
});

test('a large message is compressed without a backlog, too', () => {
  const { call, store } = scene();
  const MessageBody = 'the river rose again '.repeat(2_000);
  call('SendMessage', { MessageBody, MessageGroupId: 'g', MessageDeduplicationId: 'd' });
  expect(store.sql<{ coding: string }>('SELECT coding FROM sqs_messages').all()).toEqual([
    { coding: 'brotli' },
  ]);
  expect(call('ReceiveMessage')).toMatchObject({ Messages: [{ Body: MessageBody }] });
});
