import {
  decodeReceipt,
  encodeReceipt,
} from '../../../../lib/local/engines/sqs/receipt-operations.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { bodiesOf, messagesOf, sqsScene, toldOf } from '../support/sqs-scene.ts';

const scene = (attributes?: JsonObject) => {
  const scenery = sqsScene(attributes);
  const { call, receive } = scenery;
  return {
    ...scenery,
    handles: (input?: JsonObject) =>
      messagesOf(receive(input)).map(message => String(message['ReceiptHandle'])),
    remove: (ReceiptHandle: unknown) => call('DeleteMessage', { ReceiptHandle }),
    hide: (ReceiptHandle: unknown, VisibilityTimeout: unknown = 60) =>
      call('ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout }),
  };
};

const damaged = (handle: string) => ({
  type: 'com.amazonaws.sqs#ReceiptHandleIsInvalid',
  status: 404,
  queryCode: 'ReceiptHandleIsInvalid',
  message: `The input receipt handle "${handle}" is not a valid receipt handle.`,
});

const parameter = (name: string, value: unknown, reason: string) => ({
  type: 'com.amazon.coral.service#InvalidParameterValueException',
  status: 400,
  queryCode: 'InvalidParameterValue',
  message: `Value ${value} for parameter ${name} is invalid. Reason: ${reason}`,
});

describe('a delete', () => {
  test('removes a message under the handle that it is in flight under, also a second time', () => {
    const { clock, count, handles, remove, send } = scene();
    send('a', 'a');
    send('b', 'b');
    const [a, b] = handles();
    clock.advance(29_999);
    expect(remove(a)).toEqual({});
    expect(remove(a)).toEqual({});
    expect(count('sqs_messages')).toBe(1);
    clock.advance(1);
    expect(toldOf(() => remove(b))).toEqual(
      parameter('ReceiptHandle', b, 'The receipt handle has expired.'),
    );
    expect(remove(a)).toEqual({});
  });

  test('does not take the handle of an earlier receive', () => {
    const { clock, handles, remove, send, count } = scene();
    send();
    const [old] = handles();
    clock.advance(30_000);
    const [handle] = handles();
    expect(toldOf(() => remove(old))).toMatchObject({ queryCode: 'InvalidParameterValue' });
    remove(handle);
    expect(count('sqs_messages')).toBe(0);
  });

  test('takes only handles of its queue, and not of an earlier one of its name', () => {
    const { call, create, handles, remove, send } = scene();
    send();
    const [handle = ''] = handles();
    call('CreateQueue', { QueueName: 'p.fifo', Attributes: { FifoQueue: 'true' } });
    const elsewhere = { QueueUrl: '/p.fifo', ReceiptHandle: handle };
    expect(toldOf(() => call('DeleteMessage', elsewhere))).toEqual(damaged(handle));
    call('DeleteQueue');
    create();
    expect(toldOf(() => remove(handle))).toEqual(damaged(handle));
    expect(toldOf(() => remove('nonsense'))).toEqual(damaged('nonsense'));
    for (const absent of [undefined, ''])
      expect(toldOf(() => remove(absent))).toMatchObject({
        message: 'The request must contain the parameter ReceiptHandle.',
      });
    expect(toldOf(() => remove(7))).toMatchObject({ message: 'ReceiptHandle must be a string' });
  });

  test('lets those who wait for its group receive the next message', async () => {
    const { handles, receive, remove, send } = scene();
    send('a');
    send('b');
    const [handle] = handles({ MaxNumberOfMessages: 1 });
    const poll = receive({ WaitTimeSeconds: 20 });
    remove(handle);
    expect(bodiesOf(await poll)).toEqual(['b']);
  });
});

describe('a batch', () => {
  test('of deletes tells of each entry, and removes what it can', () => {
    const { call, clock, count, handles, send } = scene();
    for (const name of ['a', 'b', 'c']) send(name, name);
    const [a] = handles({ MaxNumberOfMessages: 1 });
    clock.advance(10_000);
    const [b, c] = handles();
    clock.advance(20_000);
    const Entries = [
      { Id: 'expired', ReceiptHandle: a },
      { Id: 'good', ReceiptHandle: b },
      { Id: 'damaged', ReceiptHandle: 'nonsense' },
      { Id: 'again', ReceiptHandle: b },
      { Id: 'other', ReceiptHandle: c },
      { Id: 'none' },
    ];
    expect(call('DeleteMessageBatch', { Entries })).toEqual({
      Successful: [{ Id: 'good' }, { Id: 'again' }, { Id: 'other' }],
      Failed: [
        {
          Id: 'expired',
          SenderFault: true,
          Code: 'ReceiptHandleIsInvalid',
          Message: 'The receipt handle has expired',
        },
        {
          Id: 'damaged',
          SenderFault: true,
          Code: 'ReceiptHandleIsInvalid',
          Message: damaged('nonsense').message,
        },
        {
          Id: 'none',
          SenderFault: true,
          Code: 'MissingParameter',
          Message: 'The request must contain the parameter ReceiptHandle.',
        },
      ],
    });
    expect(count('sqs_messages')).toBe(1);
  });

  test('of one delete removes the message', () => {
    const { call, count, handles, send } = scene();
    send();
    const [ReceiptHandle] = handles();
    const Entries = [{ Id: 'one', ReceiptHandle }];
    expect(call('DeleteMessageBatch', { Entries })).toEqual({ Successful: [{ Id: 'one' }] });
    expect(count('sqs_messages')).toBe(0);
  });

  test('of which nothing is deleted changes nothing', () => {
    const { call, store } = scene();
    const changing = jest.spyOn(store, 'transaction');
    const Entries = [{ Id: 'damaged', ReceiptHandle: 'nonsense' }];
    call('DeleteMessageBatch', { Entries });
    expect(changing).not.toHaveBeenCalled();
  });

  test('of visibility changes tells of each entry, and lets those who wait look', async () => {
    const { call, handles, receive, send } = scene();
    send('a', 'a');
    send('b', 'b');
    const [a, b] = handles();
    const poll = receive({ WaitTimeSeconds: 20 });
    const Entries = [
      { Id: 'longer', ReceiptHandle: a, VisibilityTimeout: 60 },
      { Id: 'none', ReceiptHandle: a },
      { Id: 'now', ReceiptHandle: b, VisibilityTimeout: 0 },
    ];
    expect(call('ChangeMessageVisibilityBatch', { Entries })).toEqual({
      Successful: [{ Id: 'longer' }, { Id: 'now' }],
      Failed: [
        {
          Id: 'none',
          SenderFault: true,
          Code: 'MissingParameter',
          Message: 'The request must contain the parameter VisibilityTimeout.',
        },
      ],
    });
    expect(bodiesOf(await poll)).toEqual(['b']);
  });

  test.each([
    ['DeleteMessageBatch', 'VisibilityTimeout'],
    ['ChangeMessageVisibilityBatch', 'DelaySeconds'],
  ])('%s has no parameter %s in an entry', (operation, name) => {
    const Entries = [{ Id: 'a', ReceiptHandle: 'x', [name]: 1 }];
    expect(toldOf(() => scene().call(operation, { Entries }))).toMatchObject({
      message: `The local SQS engine does not support the parameter ${name} of Entries.`,
    });
  });
});

describe('a change of visibility', () => {
  test('hides a message anew, counted from now', () => {
    const { clock, handles, hide, receive, send } = scene();
    send('a');
    const [handle] = handles();
    clock.advance(20_000);
    expect(hide(handle, 60)).toEqual({});
    clock.advance(59_999);
    expect(receive()).toEqual({});
    clock.advance(1);
    expect(bodiesOf(receive())).toEqual(['a']);
  });

  test('to 0 makes it visible for those who wait, and ends the use of its handle', async () => {
    const { handles, hide, receive, send } = scene();
    send('a');
    const [handle] = handles();
    const poll = receive({ WaitTimeSeconds: 20 });
    expect(hide(handle, 0)).toEqual({});
    expect(bodiesOf(await poll)).toEqual(['a']);
    expect(toldOf(() => hide(handle))).toEqual(
      parameter(
        'ReceiptHandle',
        handle,
        'Message does not exist or is not available for visibility timeout change.',
      ),
    );
  });

  test('is refused for a message that is gone or visible', () => {
    const { clock, handles, hide, remove, send } = scene();
    send('a', 'a');
    send('b', 'b');
    const [a, b] = handles();
    remove(a);
    clock.advance(30_000);
    for (const handle of [a, b])
      expect(toldOf(() => hide(handle))).toMatchObject({
        message: expect.stringContaining('Message does not exist or is not available'),
      });
  });

  test('goes up to twelve hours after the receive', () => {
    const { clock, handles, hide, send } = scene();
    send('a');
    const [handle] = handles();
    const beyond = (seconds: number) =>
      parameter(
        'VisibilityTimeout',
        seconds,
        'Total VisibilityTimeout for the message is beyond the limit [43200 seconds].',
      );
    expect(hide(handle, 43_200)).toEqual({});
    clock.advance(1000);
    expect(toldOf(() => hide(handle, 43_200))).toEqual(beyond(43_200));
    expect(hide(handle, 43_199)).toEqual({});
    for (const seconds of [-1, 43_201])
      expect(toldOf(() => hide(handle, seconds))).toEqual(
        parameter('VisibilityTimeout', seconds, 'Must be between 0 and 43200.'),
      );
    expect(toldOf(() => hide(handle, 1.5))).toMatchObject({
      message: 'VisibilityTimeout must be a whole number',
    });
  });
});

test('a handle is what it says, with a checksum of eight digits before it', () => {
  const receipt = { queue: 'q', sequence: 7, receipt: 'r' };
  const handle = encodeReceipt(receipt);
  expect(Buffer.from(handle, 'base64url').toString()).toMatch(/^[\da-f]{8}\["q",7,"r"\]$/);
  expect(decodeReceipt(handle)).toEqual(receipt);
  // A checksum that begins with a zero.
  const many = Array.from({ length: 300 }, (_, sequence) => ({ ...receipt, sequence }));
  expect(many.map(one => decodeReceipt(encodeReceipt(one)))).toEqual(many);
});
