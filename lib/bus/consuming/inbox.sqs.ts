import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { QueueHome } from '../../platform/aws/clients.ts';
import type { Inbox, Received } from './receipts.ts';

type BatchCall = (
  entries: { readonly Id: string; readonly ReceiptHandle: string }[],
) => Promise<{ readonly Failed?: readonly BatchResultErrorEntry[] | undefined }>;

/** Whether a batch entry failed because of the service, not because of the request. */
const isServiceError = ({ SenderFault, Code = '' }: BatchResultErrorEntry): boolean =>
  SenderFault === false || /throttl/i.test(Code);

interface BatchOutcome {
  readonly refused: readonly string[];
  /** The handles that the service failed on. */
  readonly failed: readonly string[];
  readonly code?: string | undefined;
}

const callOnce = async (handles: readonly string[], call: BatchCall): Promise<BatchOutcome> => {
  const entries = handles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
  const { Failed: problems = [] } = await call(entries);
  const handlesOf = (some: typeof problems) => some.flatMap(({ Id }) => handles[Number(Id)] ?? []);
  const errors = problems.filter(isServiceError);
  const refusals = problems.filter(problem => !isServiceError(problem));
  return { refused: handlesOf(refusals), failed: handlesOf(errors), code: errors[0]?.Code };
};

/**
 * Applies a batch call to receipt handles, and retries once those that the service failed on.
 * Returns the refused handles.
 */
const refusedOf = async (
  handles: readonly string[],
  call: BatchCall,
): Promise<readonly string[]> => {
  const first = await callOnce(handles, call);
  if (first.failed.length === 0) return first.refused;

  const second = await callOnce(first.failed, call);
  if (second.failed.length > 0) throw new Error(`The queue service failed: ${second.code}`);
  return [...first.refused, ...second.refused];
};

/**
 * Applies a batch call to any number of receipt handles, and returns the refused ones.
 *
 * @throws Error if the service failed for some handles, after all the others are done
 */
const inBatches = async (
  handles: readonly string[],
  call: BatchCall,
): Promise<readonly string[]> => {
  const batches = Array.from({ length: Math.ceil(handles.length / 10) }, (_, index) =>
    refusedOf(handles.slice(index * 10, index * 10 + 10), call),
  );
  const outcomes = await Promise.allSettled(batches);
  return outcomes.flatMap(outcome => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
};

const received = ({
  ReceiptHandle = '',
  MessageAttributes,
  Attributes,
  Body = '',
}: Message): Received => {
  const attribute = (name: string): string => MessageAttributes?.[name]?.StringValue ?? '';
  return {
    receiptHandle: ReceiptHandle,
    messageId: attribute('message_id'),
    messageType: attribute('message_type'),
    correlationId: attribute('correlation_id'),
    producer: attribute('producer_id'),
    systemId: attribute('system_id'),
    enqueuedAt: Date.parse(attribute('enqueued_at')),
    receiveCount: Number(Attributes?.ApproximateReceiveCount ?? 1),
    ...(MessageAttributes?.['replay_id'] && { replay: attribute('replay_id') }),
    body: Body,
  };
};

/**
 * The consumers' queues in SQS FIFO.
 *
 * @param poller waits as long as a poll takes and never retries: a second poll would outlast the
 * caller
 */
export const awsInbox = ({ client, baseUrl }: QueueHome, poller: SQSClient = client): Inbox => ({
  async receive(queue, { max, waitSeconds, visibilitySeconds, gone }, attempt) {
    const receive = (WaitTimeSeconds: number) =>
      new ReceiveMessageCommand({
        QueueUrl: baseUrl + queue,
        MaxNumberOfMessages: max,
        WaitTimeSeconds,
        VisibilityTimeout: visibilitySeconds,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        ReceiveRequestAttemptId: attempt,
      });
    const abort = gone && { abortSignal: gone };
    const response = await poller.send(receive(waitSeconds), abort).catch(() => {
      if (gone?.aborted) return undefined;
      // In its place a look without waiting, with retries: the attempt's id lets it have the
      // messages of a response that was lost.
      return client.send(receive(0));
    });
    return (response?.Messages ?? []).map(received);
  },

  delete: (queue, handles) =>
    inBatches(handles, Entries =>
      client.send(new DeleteMessageBatchCommand({ QueueUrl: baseUrl + queue, Entries })),
    ),

  release: (queue, handles, delaySeconds) =>
    inBatches(handles, entries => {
      const Entries = entries.map(entry => ({ ...entry, VisibilityTimeout: delaySeconds }));
      return client.send(
        new ChangeMessageVisibilityBatchCommand({ QueueUrl: baseUrl + queue, Entries }),
      );
    }),
});
