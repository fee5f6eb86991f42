import { randomUUID } from 'node:crypto';
import { type RunningEngine, startAwsJsonServer } from './aws-json/aws-json-server.ts';
import { type EngineClock, systemClock } from './engine-clock.ts';
import { lockFolder } from './folder-lock.ts';
import { openJournal } from './journal/journal.ts';
import { queueChangeOf } from './sqs/queue-change.ts';
import { QueueSet } from './sqs/queue-set.ts';
import { sqsOperations } from './sqs/sqs-operations.ts';
import { SqsState } from './sqs/sqs-state.ts';

export interface SqsEngineOptions {
  /** Everything the engine keeps is in here; it is created. One engine at a time may use it. */
  readonly folder: string;
  /** 0 (the default): any free port. */
  readonly port?: number;
  readonly clock?: EngineClock;
  /** Unique texts for message ids and receipts. */
  readonly newId?: () => string;
  /** Told of errors that are not refusals. */
  readonly onFault?: (fault: unknown) => void;
  /** Bytes of journal under which no compaction starts. */
  readonly compactionBytes?: number;
}

/** A running queue engine. `endPolls` answers the long polls under way, empty, and lets none begin. */
export interface SqsEngine extends RunningEngine {
  endPolls(): void;
}

/** A body of 1 MiB can take six times that as JSON, and a batch has some members besides. */
const maxRequestBytes = 8 * 1024 * 1024;

/**
 * Starts SQS FIFO queues on 127.0.0.1, with what the folder holds. Nothing acknowledged is lost, whenever the process
 * ends. Receive counts and visibility deadlines survive as well, but for the receives of the last 50 ms before a
 * crash: their messages are visible again, in order.
 */
export async function startSqsEngine(options: SqsEngineOptions): Promise<SqsEngine> {
  const unlock = await lockFolder(options.folder);
  try {
    const engine = await start(options);
    return { ...engine, close: () => engine.close().finally(unlock) };
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function start(options: SqsEngineOptions): Promise<SqsEngine> {
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
  const server = await startAwsJsonServer(service, { port, onFault }).catch(async (error: unknown) => {
    await journal.close();
    throw error;
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
}
