import type { EngineClock } from '../engine-clock.ts';
import type { StoredBody } from '../journal/stored-record.ts';
import { Arrivals } from './arrivals.ts';
import type { LocalQueue } from './local-queue.ts';
import type { QueueChange } from './queue-change.ts';
import type { QueueSet } from './queue-set.ts';
import { sqsError } from './sqs-error.ts';

const noBody = Buffer.alloc(0);

/** The part of the journal that operations need. */
export interface ChangeLog {
  append(meta: object, body: Buffer): StoredBody;
  /** For a change whose loss costs little: nobody waits for it. */
  appendLazily(meta: object): void;
  /** Resolves when everything appended so far is on disk. */
  saved(): Promise<void>;
  /** A stored body, once it is on disk. */
  read(stored: StoredBody): Promise<Buffer>;
}

/** What the operations work on. Every change goes through `change`, which journals it. */
export class SqsState {
  readonly queues: QueueSet;
  readonly log: ChangeLog;
  readonly clock: EngineClock;
  readonly arrivals: Arrivals;
  readonly newId: () => string;

  constructor(queues: QueueSet, log: ChangeLog, edges: { clock: EngineClock; newId: () => string }) {
    this.queues = queues;
    this.log = log;
    this.clock = edges.clock;
    this.newId = edges.newId;
    this.arrivals = new Arrivals(edges.clock);
  }

  /** The queue a QueueUrl means, as of now: its last path segment is the name. */
  queueAt(url: string): LocalQueue {
    const queue = this.queues.get(url.slice(url.lastIndexOf('/') + 1));
    if (queue === undefined) throw sqsError('QueueDoesNotExist', 'The specified queue does not exist.');
    queue.messages.advance(this.clock.now());
    return queue;
  }

  /** Makes a change that is to be on disk before it is answered. */
  change(change: QueueChange, body: Buffer = noBody): StoredBody {
    const stored = this.log.append(change, body);
    this.queues.apply(change, stored);
    this.arrivals.notify(change.queue);
    if (change.op === 'move') this.arrivals.notify(change.to);
    return stored;
  }

  /** Notes that messages were handed out. Losing that costs an early redelivery, which at-least-once allows. */
  take(change: Extract<QueueChange, { op: 'take' }>): void {
    this.log.appendLazily(change);
    this.queues.apply(change, { position: 0, file: '', offset: 0, length: 0 });
  }
}
