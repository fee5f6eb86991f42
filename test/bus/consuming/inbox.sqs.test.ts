import { SQSClient } from '@aws-sdk/client-sqs';
import { awsInbox } from '../../../lib/bus/consuming/inbox.sqs.ts';
import { answering } from '../../support/fakes/aws-clients.ts';

const options = { max: 10, waitSeconds: 20, visibilitySeconds: 60 };

const failing = () => Promise.reject(new Error('socket hang up'));

describe('a poll', () => {
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

  test('names the handles that were refused, in whichever batch', async () => {
    const handles = Array.from({ length: 100 }, (_, index) => `h${index}`);
    const broken = ['h0', 'h10', 'h19', 'h54', 'h99'];
    expect(await settle(settling(broken).inbox, handles)).toEqual(broken);
  });
});
