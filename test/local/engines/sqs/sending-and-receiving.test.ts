import { largeBytes } from '../../../../lib/platform/json/compression.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { bodiesOf, messagesOf, sqsScene, toldOf } from '../support/sqs-scene.ts';

const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'd' };
const md5OfX = '9dd4e461268c8034f5c8564e155c67a6';
// What SQS itself answered for this attribute.
const MessageAttributes = { Hello: { DataType: 'String', StringValue: 'There' } };
const md5OfHello = 'a311262e065454b75da111d535b8dacd';

const parameter = (name: string, value: unknown, reason: string) => ({
  queryCode: 'InvalidParameterValue',
  message: `Value ${value} for parameter ${name} is invalid. Reason: ${reason}`,
});

test('a send answers with an id, a number of twenty digits and the digests', () => {
  const { call } = sqsScene();
  const send = (more: JsonObject = {}) =>
    call('SendMessage', { MessageBody: 'x', ...ids, ...more });
  const first = { MessageId: 'id-2', MD5OfMessageBody: md5OfX };
  // The first number is that of the queue.
  expect(send()).toStrictEqual({ ...first, SequenceNumber: '10000000000000000002' });
  expect(send({ MessageDeduplicationId: 'e', MessageAttributes })).toStrictEqual({
    MessageId: 'id-3',
    MD5OfMessageBody: md5OfX,
    MD5OfMessageAttributes: md5OfHello,
    SequenceNumber: '10000000000000000003',
  });
  // A duplicate is answered as the first one, with the digests of what was sent now.
  expect(send({ MessageAttributes })).toStrictEqual({
    ...first,
    MD5OfMessageAttributes: md5OfHello,
    SequenceNumber: '10000000000000000002',
  });
});

test.each([
  ['MessageGroupId', 'g'],
  ['MessageDeduplicationId', 'd'],
])('%s has 1 to 128 letters, digits and punctuation', (name, letter) => {
  const { call } = sqsScene();
  const send = (id: unknown) => call('SendMessage', { MessageBody: 'x', ...ids, [name]: id });
  const form = 'can only include alphanumeric and punctuation characters. 1 to 128 in length.';
  expect(send(letter.repeat(128))).toBeDefined();
  expect(send('aZ09!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~')).toBeDefined();
  for (const id of [letter.repeat(129), 'a b', 'ä', 'a\n'])
    expect(toldOf(() => send(id))).toMatchObject(parameter(name, id, `${name} ${form}`));
  for (const absent of [undefined, ''])
    expect(toldOf(() => send(absent))).toMatchObject({
      message: `The request must contain the parameter ${name}.`,
    });
});

test('a message has up to as many bytes as its queue says, attributes included', () => {
  const { call } = sqsScene({ MaximumMessageSize: '1024' });
  const send = (bytes: number, more: JsonObject = {}) =>
    call('SendMessage', { MessageBody: 'x'.repeat(bytes), ...ids, ...more });
  const refusal = {
    queryCode: 'InvalidParameterValue',
    message: 'One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes.',
  };
  expect(send(1_024)).toBeDefined();
  expect(toldOf(() => send(1_025))).toMatchObject(refusal);
  // Hello, String and There.
  expect(send(1_024 - 16, { MessageAttributes })).toBeDefined();
  expect(toldOf(() => send(1_024 - 15, { MessageAttributes }))).toMatchObject(refusal);
});

test('a message is received as it was sent, with what is asked for and nothing else', () => {
  const { call, clock, receive } = sqsScene();
  const sentAt = clock.now();
  call('SendMessage', { MessageBody: 'x', ...ids, MessageAttributes });
  clock.advance(5);
  const shown = (input: JsonObject = {}) => messagesOf(receive({ VisibilityTimeout: 0, ...input }));
  const plain = {
    MessageId: 'id-2',
    ReceiptHandle: expect.any(String),
    Body: 'x',
    MD5OfBody: md5OfX,
  };
  expect(shown()).toStrictEqual([plain]);
  clock.advance(5);
  expect(shown({ AttributeNames: ['All'], MessageAttributeNames: ['All'] })).toStrictEqual([
    {
      ...plain,
      Attributes: {
        ApproximateFirstReceiveTimestamp: String(sentAt + 5),
        ApproximateReceiveCount: '2',
        MessageDeduplicationId: 'd',
        MessageGroupId: 'g',
        SenderId: '000000000000',
        SentTimestamp: String(sentAt),
        SequenceNumber: '10000000000000000002',
      },
      MessageAttributes,
      MD5OfMessageAttributes: md5OfHello,
    },
  ]);
  const some = {
    AttributeNames: ['MessageGroupId'],
    MessageSystemAttributeNames: ['SenderId', 'Unheard'],
    MessageAttributeNames: ['Hel', 'Other.*'],
  };
  const Attributes = { MessageGroupId: 'g', SenderId: '000000000000' };
  expect(shown(some)).toStrictEqual([{ ...plain, Attributes }]);
  expect(shown({ AttributeNames: ['MessageGroupId'] })).toStrictEqual([
    { ...plain, Attributes: { MessageGroupId: 'g' } },
  ]);
  const prefix = { MessageAttributeNames: ['Hel.*'] };
  const attributes = { MessageAttributes, MD5OfMessageAttributes: md5OfHello };
  expect(shown(prefix)).toStrictEqual([{ ...plain, ...attributes }]);
});

test('the first receive of a message says that it is the first, and when it was', () => {
  const { clock, receive, send } = sqsScene();
  send();
  clock.advance(7);
  expect(messagesOf(receive({ AttributeNames: ['All'] }))).toMatchObject([
    {
      Attributes: {
        ApproximateReceiveCount: '1',
        ApproximateFirstReceiveTimestamp: String(clock.now()),
      },
    },
  ]);
});

test('a message is compressed from so many bytes on', () => {
  const { call, store } = sqsScene();
  for (const [id, bytes] of [
    ['a', largeBytes - 1],
    ['b', largeBytes],
  ] as const) {
    const MessageDeduplicationId = id;
    call('SendMessage', { ...ids, MessageDeduplicationId, MessageBody: 'x'.repeat(bytes) });
  }
  const rows = store.sql<object>('SELECT coding FROM sqs_messages ORDER BY sequence').all();
  expect(rows).toEqual([{ coding: null }, { coding: 'brotli' }]);
});

describe('a receive', () => {
  test('that finds nothing changes nothing', () => {
    const { receive, store } = sqsScene();
    const changing = jest.spyOn(store, 'transaction');
    expect(receive({ ReceiveRequestAttemptId: 'x' })).toEqual({});
    expect(changing).not.toHaveBeenCalled();
  });

  test('that waits is answered when a visibility timeout ends', async () => {
    const { clock, receive, send } = sqsScene();
    send('a');
    receive({ VisibilityTimeout: 5 });
    const poll = receive({ WaitTimeSeconds: 20 });
    clock.advance(5_000);
    expect(bodiesOf(await poll)).toEqual(['a']);
  });

  test('gets up to as many messages as it asks for, or one', () => {
    const { receive, send } = sqsScene();
    for (let sent = 0; sent < 14; sent += 1) send(undefined, `g${sent}`);
    expect(bodiesOf(receive({ MaxNumberOfMessages: undefined }))).toHaveLength(1);
    expect(bodiesOf(receive({ MaxNumberOfMessages: 3 }))).toHaveLength(3);
    expect(bodiesOf(receive({ MaxNumberOfMessages: 10 }))).toHaveLength(10);
  });

  test('hides messages for as long as it asks for, or as the queue says', () => {
    const { clock, receive, send } = sqsScene({ VisibilityTimeout: '7' });
    send();
    const isHidden = (milliseconds: number) => {
      clock.advance(milliseconds);
      return bodiesOf(receive({ VisibilityTimeout: 43_200 })).length === 0;
    };
    receive();
    expect([isHidden(6_999), isHidden(1)]).toEqual([true, false]);
    expect([isHidden(43_199_999), isHidden(1)]).toEqual([true, false]);
  });

  test('waits for as long as it asks for, or as the queue says', async () => {
    const { clock, receive } = sqsScene({ ReceiveMessageWaitTimeSeconds: '7' });
    const ended: string[] = [];
    Promise.resolve(receive({ WaitTimeSeconds: 20 })).then(() => ended.push('asked'));
    Promise.resolve(receive()).then(() => ended.push('queue'));
    const endedIn = async (milliseconds: number) => {
      clock.advance(milliseconds);
      await new Promise(setImmediate);
      return ended.join(' ');
    };
    expect([await endedIn(6_999), await endedIn(1)]).toEqual(['', 'queue']);
    expect([await endedIn(12_999), await endedIn(1)]).toEqual(['queue', 'queue asked']);
    expect(receive({ WaitTimeSeconds: 0 })).toEqual({});
  });

  test.each([
    ['MaxNumberOfMessages', 1, 10],
    ['WaitTimeSeconds', 0, 20],
    ['VisibilityTimeout', 0, 43_200],
  ])('has %s from %d to %d', async (name, min, max) => {
    const { endPolls, receive } = sqsScene();
    endPolls();
    for (const value of [min, max]) expect(receive({ [name]: value })).toEqual({});
    for (const value of [min - 1, max + 1])
      expect(toldOf(() => receive({ [name]: value }))).toMatchObject(
        parameter(name, value, `Must be between ${min} and ${max}, if provided.`),
      );
  });

  test('removes what has expired a thousand at a time, and goes on in the next turns', async () => {
    const { clock, receive, send, store, count } = sqsScene({ MessageRetentionPeriod: '60' });
    store.transaction(() => {
      for (let sent = 0; sent < 3_500; sent += 1) send();
    });
    clock.advance(59_999);
    send('kept', 'kept');
    clock.advance(1);
    const poll = receive({ WaitTimeSeconds: 20 });
    // Whenever the queue is named, and when it is looked into.
    expect(count('sqs_messages')).toBe(501);
    clock.advance(0);
    expect(bodiesOf(await poll)).toEqual(['kept']);
    expect(count('sqs_messages')).toBe(1);
  });
});

describe('a repeated receive', () => {
  const again = { ReceiveRequestAttemptId: 'x', MaxNumberOfMessages: 2 };

  test('is told the same in the same order, hidden anew, and others wait', async () => {
    const { call, clock, receive, send } = sqsScene();
    for (const name of ['a', 'b', 'c']) send(name, name);
    const first = receive({ ...again, AttributeNames: ['All'] });
    expect(bodiesOf(first)).toEqual(['a', 'b']);
    clock.advance(29_999);
    expect(receive({ ...again, AttributeNames: ['All'] })).toEqual(first);
    clock.advance(29_999);
    expect(bodiesOf(receive())).toEqual(['c']);
    expect(receive()).toEqual({});
    const [message] = messagesOf(first);
    expect(call('DeleteMessage', { ReceiptHandle: message?.['ReceiptHandle'] })).toEqual({});
    // One of its messages is gone: it is a receive like others.
    expect(receive(again)).toEqual({});
  });

  test('hides messages until the end of its own visibility timeout', () => {
    const { clock, receive, send } = sqsScene();
    send('a');
    receive(again);
    clock.advance(10_000);
    receive({ ...again, VisibilityTimeout: 60 });
    clock.advance(59_999);
    expect(receive()).toEqual({});
    clock.advance(1);
    expect(bodiesOf(receive())).toEqual(['a']);
  });

  test('does not get what another has received since', () => {
    const { clock, receive, send } = sqsScene();
    send('a');
    receive(again);
    clock.advance(30_000);
    expect(bodiesOf(receive())).toEqual(['a']);
    expect(receive(again)).toEqual({});
  });

  test('may make the messages visible, for those who wait', async () => {
    const { receive, send } = sqsScene();
    send('a');
    receive(again);
    const poll = receive({ WaitTimeSeconds: 20 });
    expect(bodiesOf(receive({ ...again, VisibilityTimeout: 0 }))).toEqual(['a']);
    expect(bodiesOf(await poll)).toEqual(['a']);
  });

  test('begins anew when its messages became visible', () => {
    const { clock, receive, send } = sqsScene();
    send('a');
    const [first] = messagesOf(receive(again));
    clock.advance(30_000);
    const [second] = messagesOf(receive(again));
    expect(second?.['ReceiptHandle']).not.toBe(first?.['ReceiptHandle']);
  });

  test.each(['', 'a b', 'x'.repeat(129)])('has an id like those of a send, not %j', id => {
    const { receive } = sqsScene();
    const name = 'ReceiveRequestAttemptId';
    const form = 'can only include alphanumeric and punctuation characters. 1 to 128 in length.';
    expect(toldOf(() => receive({ [name]: id }))).toMatchObject(
      parameter(name, id, `${name} ${form}`),
    );
    expect(receive({ [name]: 'x'.repeat(128) })).toEqual({});
  });
});

describe('a receiver that goes away before it has its messages', () => {
  test('gives back those that are still in flight under its receipt, once', () => {
    const { call, receive, send, clock } = sqsScene();
    for (const name of ['a', 'b']) send(name, name);
    const leaver = new AbortController();
    const [a] = messagesOf(receive({}, leaver.signal));
    call('DeleteMessage', { ReceiptHandle: a?.['ReceiptHandle'] });
    leaver.abort();
    expect(bodiesOf(receive())).toEqual(['b']);
    clock.advance(29_999);
    expect(receive()).toEqual({});
  });

  test('gives nothing back, and changes nothing, when all is deleted or its queue is gone', () => {
    const { call, receive, send, store } = sqsScene();
    send();
    const leavers = [new AbortController(), new AbortController()];
    const [message] = messagesOf(receive({}, leavers[0]?.signal));
    call('DeleteMessage', { ReceiptHandle: message?.['ReceiptHandle'] });
    const changing = jest.spyOn(store, 'transaction');
    leavers[0]?.abort();
    expect(changing).not.toHaveBeenCalled();
    send();
    receive({}, leavers[1]?.signal);
    call('DeleteQueue');
    changing.mockClear();
    expect(() => leavers[1]?.abort()).not.toThrow();
    expect(changing).not.toHaveBeenCalled();
  });

  test('is not told that the disk is full', () => {
    const { receive, send, store } = sqsScene();
    send();
    const leaver = new AbortController();
    receive({}, leaver.signal);
    const failing = jest.spyOn(store, 'transaction').mockImplementation(() => {
      throw new Error('disk full');
    });
    expect(() => leaver.abort()).not.toThrow();
    expect(failing).toHaveBeenCalledTimes(1);
  });

  test('lets those who wait receive them', async () => {
    const { receive, send } = sqsScene();
    send('a');
    const leaver = new AbortController();
    receive({}, leaver.signal);
    const poll = receive({ WaitTimeSeconds: 20 });
    leaver.abort();
    expect(bodiesOf(await poll)).toEqual(['a']);
  });
});
