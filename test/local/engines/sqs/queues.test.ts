import { bodiesOf, sqsScene } from '../support/sqs-scene.ts';

test('a purge and a delete leave nothing of a queue', () => {
  const { call, send, count } = sqsScene();
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
  const { call, create, send } = sqsScene();
  const first = send('same');
  call('PurgeQueue');
  expect(send('same')).toEqual(first);
  expect(call('ReceiveMessage')).toEqual({});
  call('DeleteQueue');
  create();
  expect(send('same')).not.toEqual(first);
});

test('sequence numbers are not used again, whatever was deleted before a restart', () => {
  const { call, send, restart } = sqsScene();
  const numbers = Array.from({ length: 3 }, () => {
    const response = send();
    call('PurgeQueue');
    restart();
    return JSON.parse(JSON.stringify(response)).SequenceNumber;
  });
  expect(new Set(numbers).size).toBe(3);
  for (const number of numbers) expect(number).toMatch(/^\d{20}$/);
  expect([...numbers].sort()).toEqual(numbers);
});

test('a change that fails leaves nothing behind, and the next one succeeds', () => {
  const { store, receive, restart, send } = sqsScene();
  const { sql } = store;
  send('kept');
  // The next send reserves sequence numbers: that, too, is rolled back.
  restart();
  const failing = jest.spyOn(store, 'sql').mockImplementation(text => {
    if (text.startsWith('INSERT INTO sqs_messages')) throw new Error('disk full');
    return sql(text);
  });
  expect(() => send('lost')).toThrow('disk full');
  failing.mockRestore();
  send('lost');
  restart();
  send('later');
  expect(bodiesOf(receive())).toEqual(['kept', 'lost', 'later']);
});

test('messages behind a backlog are compressed, and are received as they were sent', () => {
  const { call, store } = sqsScene();
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
  const response = call('ReceiveMessage', {
    MaxNumberOfMessages: 10,
    MessageAttributeNames: ['All'],
  });
  const MessageAttributes = { some: { DataType: 'String', StringValue: 'x' } };
  expect(response).toMatchObject({
    Messages: [1_000, 1_001].map(index => ({ Body: body(index), MessageAttributes })),
  });
});

test('a large message is compressed without a backlog, too', () => {
  const { call, store } = sqsScene();
  const MessageBody = 'the river rose again '.repeat(2_000);
  call('SendMessage', { MessageBody, MessageGroupId: 'g', MessageDeduplicationId: 'd' });
  expect(store.sql<{ coding: string }>('SELECT coding FROM sqs_messages').all()).toEqual([
    { coding: 'brotli' },
  ]);
  expect(call('ReceiveMessage')).toMatchObject({ Messages: [{ Body: MessageBody }] });
});

test('the longest-waiting group comes first, and a redelivered group does not starve the others', () => {
  const { clock, receive, send } = sqsScene();
  for (const name of ['a', 'b', 'c']) send(name, name);
  expect(bodiesOf(receive({ MaxNumberOfMessages: 1 }))).toEqual(['a']);
  clock.advance(30_000);
  expect(bodiesOf(receive())).toEqual(['b', 'c', 'a']);
});

test('one call removes a bounded number of expired messages, and none of them is counted or received', () => {
  const { call, clock, count, receive, send, store } = sqsScene({ MessageRetentionPeriod: '60' });
  store.transaction(() => {
    for (let index = 0; index < 4_500; index += 1) send();
  });
  clock.advance(60_000);
  expect(call('GetQueueAttributes', { AttributeNames: ['ApproximateNumberOfMessages'] })).toEqual({
    Attributes: { ApproximateNumberOfMessages: '0' },
  });
  expect(count('sqs_messages')).toBe(3_500);
  expect([bodiesOf(receive()), count('sqs_messages')]).toEqual([[], 500]);
  send('kept');
  expect([bodiesOf(receive()), count('sqs_messages')]).toEqual([['kept'], 1]);
});

test('no more than 120,000 messages are in flight', () => {
  const { clock, receive, send, store } = sqsScene();
  store
    .sql(
      `INSERT INTO sqs_receives SELECT value, 1, 'r', 1, 0, 0, ? FROM
       (WITH RECURSIVE n(value) AS (SELECT 10000 UNION ALL SELECT value + 1 FROM n LIMIT 119998) SELECT value FROM n)`,
    )
    .run(clock.now() + 5_000);
  for (const name of ['a', 'b', 'c']) send(name, name);
  expect(bodiesOf(receive())).toEqual(['a', 'b']);
  expect(bodiesOf(receive())).toEqual([]);
  clock.advance(5_000);
  expect(bodiesOf(receive())).toEqual(['c']);
});

test('a group that was emptied leaves no row, and keeps its order when it is filled again', () => {
  const { call, count, receive, send } = sqsScene();
  for (const round of [1, 2]) {
    const names = [`first${round}`, `second${round}`];
    for (const name of names) send(name);
    const response = receive();
    expect(bodiesOf(response)).toEqual(names);
    const handles = JSON.stringify(response).match(/"ReceiptHandle":"[^"]+"/g) ?? [];
    for (const handle of handles.toReversed()) call('DeleteMessage', JSON.parse(`{${handle}}`));
    expect(count('sqs_groups')).toBe(0);
  }
});
