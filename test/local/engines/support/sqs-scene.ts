import { AwsError, objectInput, objectsOf } from '../../../../lib/local/engines/aws-json/input.ts';
import { sqsOperations } from '../../../../lib/local/engines/sqs/engine.ts';
import { openStore } from '../../../../lib/local/engines/store.ts';
import type { JsonObject } from '../../../../lib/platform/json/value.ts';
import { FrozenClock } from './frozen-clock.ts';

/**
 * The operations of SQS in this process, with one queue; `restart` leaves nothing but the database.
 */
export const sqsScene = (attributes: JsonObject = {}) => {
  const store = openStore();
  const clock = new FrozenClock();
  let [ids, sent] = [0, 0];
  const start = () => sqsOperations(store, { clock, newId: () => `id-${++ids}` });
  let engine = start();
  const call = (name: string, input: JsonObject = {}, gone = new AbortController().signal) => {
    const queue = name === 'CreateQueue' ? { QueueName: 'q.fifo' } : { QueueUrl: '/q.fifo' };
    return engine.operations.get(name)?.({ ...queue, ...input }, { endpoint: '', gone });
  };
  const create = () =>
    call('CreateQueue', { Attributes: { FifoQueue: 'true', Policy: undefined, ...attributes } });
  create();
  return {
    store,
    clock,
    call,
    create,
    /** Sends a message whose body is its deduplication id. */
    send(body?: string, MessageGroupId = 'g') {
      sent += 1;
      const MessageBody = body ?? `${sent}`;
      return call('SendMessage', {
        MessageBody,
        MessageGroupId,
        MessageDeduplicationId: MessageBody,
      });
    },
    receive: (input: JsonObject = {}, gone?: AbortSignal) =>
      call('ReceiveMessage', { MaxNumberOfMessages: 10, ...input }, gone),
    count: (table: string) =>
      store.sql<{ count: number }>(`SELECT count(*) AS count FROM ${table}`).get()?.count,
    restart() {
      engine = start();
    },
    endPolls: () => engine.endPolls(),
    operations: engine.operations,
    find: (input: JsonObject) => engine.find(input),
    oldestAge: (name: string) => engine.oldestAge(name),
  };
};

export const bodiesOf = (response: unknown): readonly string[] =>
  JSON.stringify(response)
    .match(/"Body":"\w+"/g)
    ?.map(match => match.slice(8, -1)) ?? [];

/** The member `Messages` of a response. */
export const messagesOf = (response: unknown): readonly JsonObject[] =>
  objectsOf(objectInput(response, 'the response'), 'Messages');

const errorOf = (work: () => unknown): AwsError | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof AwsError) return error;
    throw error;
  }
};

/** The name of what a call is refused with; undefined if it is not. */
export const refusalOf = (work: () => unknown): string | undefined => errorOf(work)?.name;

/** All that a client is told of a refusal; undefined if there is none. */
export const toldOf = (work: () => unknown) => {
  const error = errorOf(work);
  return error && { ...error.shape, message: error.message };
};
