import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../json/value.ts';
import { type Call, type Operation, type RunningEngine, startAwsJsonServer } from '../aws-json/server.ts';
import { lockFolder } from '../durable-files.ts';
import { openJournal } from '../journal/journal.ts';
import { type EngineClock, systemClock } from '../machine.ts';
import { queueChangeOf } from './queue-change.ts';
import * as queues from './queue-operations.ts';
import * as receipts from './receive-operations.ts';
import { receiveMessage } from './receive-operations.ts';
import * as sends from './send-operations.ts';
import { QueueSet, SqsState } from './state.ts';

type SqsOperation = (state: SqsState, input: JsonObject, call: Call) => JsonObject | Promise<JsonObject>;

const reads: Readonly<Record<string, SqsOperation>> = {
  GetQueueAttributes: queues.getQueueAttributes,
  GetQueueUrl: queues.getQueueUrl,
  ListQueueTags: queues.listQueueTags,
  ListQueues: queues.listQueues,
  ReceiveMessage: receiveMessage,
};

const writes: Readonly<Record<string, SqsOperation>> = {
  ChangeMessageVisibility: receipts.changeMessageVisibility,
  ChangeMessageVisibilityBatch: receipts.changeMessageVisibilityBatch,
  CreateQueue: queues.createQueue,
  DeleteMessage: receipts.deleteMessage,
  DeleteMessageBatch: receipts.deleteMessageBatch,
  DeleteQueue: queues.deleteQueue,
  PurgeQueue: queues.purgeQueue,
  SendMessage: sends.sendMessage,
  SendMessageBatch: sends.sendMessageBatch,
  SetQueueAttributes: queues.setQueueAttributes,
  TagQueue: queues.tagQueue,
  UntagQueue: queues.untagQueue,
};

/** The operations of SQS; those that write answer when everything they saw or did is on disk. */
export const sqsOperations = (state: SqsState): ReadonlyMap<string, Operation> => {
  const reading = Object.entries(reads).map(([name, operation]): [string, Operation] => [
    name,
    (input, call) => operation(state, input, call),
  ]);
  const writing = Object.entries(writes).map(([name, operation]): [string, Operation] => [
    name,
    async (input, call) => {
      const answer = await operation(state, input, call);
      // A duplicate, or a second delete, changes nothing, but what it confirms must still be on disk.
      await state.log.saved();
      return answer;
    },
  ]);
  return new Map([...reading, ...writing]);
};

export interface SqsEngineOptions {
  /** The folder for all of the engine's data, created if absent. Only one engine may use it at a time. */
  readonly folder: string;
  /** 0 (the default): any free port. */
  readonly port?: number;
  readonly clock?: EngineClock;
  /** Unique texts for message ids and receipts. */
  readonly newId?: () => string;
  /** Called with errors that are not refusals. */
  readonly onFault?: (fault: unknown) => void;
  /** Bytes of journal under which no compaction starts. */
  readonly compactionBytes?: number;
}

/** A running queue engine. `endPolls` answers pending long polls without messages, and lets no new ones start. */
export interface SqsEngine extends RunningEngine {
  endPolls(): void;
}

/** A body of 1 MiB can take six times that as JSON, and a batch has some members besides. */
const maxRequestBytes = 8 * 1024 * 1024;

/**
 * Starts SQS FIFO queues on 127.0.0.1, with what the folder holds. Nothing acknowledged is lost, no matter when the
 * process ends. Receive counts and visibility deadlines survive as well, but for the receives of the last 50 ms before a
 * crash: their messages are visible again, in order.
 */
export const startSqsEngine = async (options: SqsEngineOptions): Promise<SqsEngine> => {
  const unlock = await lockFolder(options.folder);
  try {
    const engine = await start(options);
    return { ...engine, close: () => engine.close().finally(unlock) };
  } catch (fault) {
    await unlock();
    throw fault;
  }
};

const start = async (options: SqsEngineOptions): Promise<SqsEngine> => {
  const { folder, port = 0, clock = systemClock, newId = randomUUID, onFault = () => undefined } = options;
  const queues = new QueueSet();
  const journal = await openJournal({
    folder,
    clock,
    onFault,
    apply: (meta, body) => queues.apply(queueChangeOf(meta), body),
    snapshot: () => queues.snapshot(),
    ...(options.compactionBytes === undefined ? {} : { compactionBytes: options.compactionBytes }),
  });
  const state = new SqsState(queues, journal, { clock, newId });
  const service = {
    target: 'AmazonSQS',
    version: '1.0',
    operations: sqsOperations(state),
    maxRequestBytes,
  } as const;
  const server = await startAwsJsonServer(service, { port, onFault }).catch(async (fault: unknown) => {
    await journal.close();
    throw fault;
  });
  return {
    endpoint: server.endpoint,
    endPolls: () => state.arrivals.close(),
    async close() {
      state.arrivals.close();
      await server.close();
      await journal.close();
    },
  };
};
