import { SQSClient } from '@aws-sdk/client-sqs';
import { awsInbox } from '../../../lib/bus/consuming/inbox.sqs.ts';
import { answering } from '../../support/fakes/aws-clients.ts';

const options = { max: 10, waitSeconds: 20, visibilitySeconds: 60 };

const failing = () => Promise.reject(new Error('socket hang up'));

/** An inbox whose queue gives these messages, and what it is asked for. */
const giving = (response: object) => {
  const asked: object[] = [];
  const client = answering(SQSClient, async command => {
    asked.push(command.input);
    return response;
  });
  return { asked, inbox: awsInbox({ client, baseUrl: 'http://q/' }) };
};

const attributes = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, StringValue]) => [
      name,
      { DataType: 'String', StringValue },
    ]),
  );

describe('a poll', () => {
  test('asks for all that a message says of itself, and reads it', async () => {
    const MessageAttributes = attributes({
      message_id: 'm1',
      message_type: 'story.context',
      correlation_id: 'k1',
      producer_id: 'caaaaaaaaaaaa',
      system_id: 'demo-ncs',
      enqueued_at: '2026-05-04T09:00:00.000Z',
    });
    const message = { ReceiptHandle: 'h1', MessageAttributes, Body: '{"payload":{}}' };
    const Attributes = { ApproximateReceiveCount: '3' };
    const replayed = { ...MessageAttributes, ...attributes({ replay_id: 'y1' }) };
    const { asked, inbox } = giving({
      Messages: [
        { ...message, Attributes },
        { ...message, ReceiptHandle: 'h2', MessageAttributes: replayed },
      ],
    });
    const read = {
      receiptHandle: 'h1',
      messageId: 'm1',
      messageType: 'story.context',
      correlationId: 'k1',
      producer: 'caaaaaaaaaaaa',
      systemId: 'demo-ncs',
      enqueuedAt: Date.parse('2026-05-04T09:00:00Z'),
      receiveCount: 3,
      body: '{"payload":{}}',
    };
    expect(await inbox.receive('one.fifo', options, 'a1')).toEqual([
      read,
      { ...read, receiptHandle: 'h2', receiveCount: 1, replay: 'y1' },
    ]);
    expect(asked).toEqual([
      {
        QueueUrl: 'http://q/one.fifo',
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 20,
        VisibilityTimeout: 60,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        ReceiveRequestAttemptId: 'a1',
      },
    ]);
  });

  test('reads a message of somebody else, who left out everything or all but one attribute', async () => {
    const unknown = {
      receiptHandle: '',
      messageId: '',
      messageType: '',
      correlationId: '',
      producer: '',
      systemId: '',
      enqueuedAt: Number.NaN,
      receiveCount: 1,
      body: '',
    };
    const MessageAttributes = { ...attributes({ message_id: 'm1' }), system_id: {} };
    const { inbox } = giving({ Messages: [{}, { MessageAttributes }] });
    expect(await inbox.receive('one.fifo', options, 'a1')).toEqual([
      unknown,
      { ...unknown, messageId: 'm1' },
    ]);
  });

  test('of an empty queue has no messages', async () => {
    expect(await giving({}).inbox.receive('one.fifo', options, 'a1')).toEqual([]);
  });

  test('whose response is lost is repeated without a wait, as the same attempt', async () => {
    const asked: object[] = [];
    const client = answering(SQSClient, async command => {
      asked.push((command as { input: object }).input);
      return { Messages: [] };
    });
    const inbox = awsInbox({ client, baseUrl: 'http://q/' }, answering(SQSClient, failing));
    expect(await inbox.receive('one.fifo', options, 'a1')).toEqual([]);
    expect(asked).toMatchObject([{ WaitTimeSeconds: 0, ReceiveRequestAttemptId: 'a1' }]);
  });

  test('whose client is gone is aborted, and not repeated', async () => {
    const gone = new AbortController();
    const poller = answering(
      SQSClient,
      (_command, call) =>
        new Promise((_, reject) =>
          call?.abortSignal?.addEventListener('abort', () => reject(new Error('aborted'))),
        ),
    );
    const client = answering(SQSClient, () =>
      Promise.reject(new Error('Nobody should poll again.')),
    );
    const received = awsInbox({ client, baseUrl: 'http://q/' }, poller).receive(
      'one.fifo',
      { ...options, gone: gone.signal },
      'a1',
    );
    gone.abort();
    expect(await received).toEqual([]);
  });
});

/** Every batch of a call, with its entries; the entries of `broken` handles are refused. */
const settling = (broken: readonly string[]) => {
  const batches: { readonly Id: string; readonly ReceiptHandle: string }[][] = [];
  const client = answering(SQSClient, async command => {
    const { Entries } = (command as { input: { Entries: (typeof batches)[number] } }).input;
    batches.push(Entries);
    const Failed = Entries.filter(({ ReceiptHandle }) => broken.includes(ReceiptHandle));
    return {
      Failed: Failed.map(({ Id }) => ({ Id, SenderFault: true, Code: 'ReceiptHandleIsInvalid' })),
    };
  });
  return { batches, inbox: awsInbox({ client, baseUrl: 'http://q/' }) };
};

describe.each([
  ['an ack', 'delete'],
  ['a nack', 'release'],
] as const)('%s of many receipts', (_what, how) => {
  const settle = (inbox: ReturnType<typeof awsInbox>, handles: readonly string[]) =>
    how === 'delete' ? inbox.delete('one.fifo', handles) : inbox.release('one.fifo', handles, 5);

  test.each([
    [10, [10]],
    [11, [10, 1]],
    [100, Array.from({ length: 10 }, () => 10)],
  ])('sends %i handles ten at a time, each once', async (count, sizes) => {
    const handles = Array.from({ length: count }, (_, index) => `h${index}`);
    const { batches, inbox } = settling([]);
    expect(await settle(inbox, handles)).toEqual([]);
    expect(batches.map(({ length }) => length)).toEqual(sizes);
    expect(batches.flat().map(({ ReceiptHandle }) => ReceiptHandle)).toEqual(handles);
    for (const batch of batches) expect(new Set(batch.map(({ Id }) => Id)).size).toBe(batch.length);
  });

  test('asks the queue for just that', async () => {
    const { asked, inbox } = giving({});
    expect(await settle(inbox, ['h1', 'h2'])).toEqual([]);
    const delay = how === 'release' ? { VisibilityTimeout: 5 } : {};
    expect(asked).toEqual([
      {
        QueueUrl: 'http://q/one.fifo',
        Entries: [
          { Id: '0', ReceiptHandle: 'h1', ...delay },
          { Id: '1', ReceiptHandle: 'h2', ...delay },
        ],
      },
    ]);
  });

  test('asks nothing if there are none', async () => {
    const { asked, inbox } = giving({});
    expect(await settle(inbox, [])).toEqual([]);
    expect(asked).toEqual([]);
  });

  /** An inbox whose batches fail as these say, one after the other; the handles of each batch. */
  const failingWith = (...failures: readonly (readonly object[])[]) => {
    const left = [...failures];
    const batches: (readonly string[])[] = [];
    const client = answering(SQSClient, async command => {
      const { Entries } = command.input as { Entries: { ReceiptHandle: string }[] };
      batches.push(Entries.map(({ ReceiptHandle }) => ReceiptHandle));
      return { Failed: left.shift() };
    });
    return { batches, inbox: awsInbox({ client, baseUrl: 'http://q/' }) };
  };

  test.each([
    ['of the service', { SenderFault: false, Code: 'InternalError' }],
    ['because of many requests', { SenderFault: true, Code: 'RequestThrottled' }],
    ['because of many requests, in small letters', { Code: 'kms.throttling' }],
  ])(
    'tries once more what failed by an error %s, and names all that were refused',
    async (_why, error) => {
      const refusal = { SenderFault: true, Code: 'ReceiptHandleIsInvalid' };
      const { batches, inbox } = failingWith(
        [
          { Id: '0', ...refusal },
          { Id: '1', ...error },
          { Id: '3', ...error },
        ],
        [{ Id: '1', ...refusal }],
      );
      expect(await settle(inbox, ['h0', 'h1', 'h2', 'h3'])).toEqual(['h0', 'h3']);
      expect(batches).toEqual([
        ['h0', 'h1', 'h2', 'h3'],
        ['h1', 'h3'],
      ]);
    },
  );

  test('fails if the service fails twice', async () => {
    const error = { Id: '0', SenderFault: false };
    const { batches, inbox } = failingWith(
      [{ ...error, Code: 'InternalError' }],
      [{ ...error, Code: 'ServiceUnavailable' }],
    );
    await expect(settle(inbox, ['h0'])).rejects.toThrow(
      'The queue service failed: ServiceUnavailable',
    );
    expect(batches).toEqual([['h0'], ['h0']]);
  });

  test('does not try again what was refused without a reason, or what it did not name', async () => {
    const { batches, inbox } = failingWith([{ Id: '0' }, { Id: '7', SenderFault: true }]);
    expect(await settle(inbox, ['h0', 'h1'])).toEqual(['h0']);
    expect(batches).toEqual([['h0', 'h1']]);
  });

  test('names the handles that were refused, in whichever batch', async () => {
    const handles = Array.from({ length: 100 }, (_, index) => `h${index}`);
    const broken = ['h0', 'h10', 'h19', 'h54', 'h99'];
    expect(await settle(settling(broken).inbox, handles)).toEqual(broken);
  });
});
