import type { EngineClock } from '../machine.ts';
import type { Store } from '../store.ts';
import { sqsError } from './batch.ts';
import { SentContents } from './message-contents.ts';
import { Polls } from './polls.ts';
import { type LocalQueue, Queues } from './queues.ts';
import { DeduplicationWindow, ReceiveAttempts } from './recent-requests.ts';

/** What the operations work on. Every change goes through `change`. */
export class SqsState {
  readonly queues: Queues;
  readonly sends: DeduplicationWindow;
  readonly attempts: ReceiveAttempts;
  readonly polls: Polls;
  readonly contents = new SentContents();
  readonly clock: EngineClock;
  readonly newId: () => string;
  readonly #store: Store;

  constructor(store: Store, edges: { readonly clock: EngineClock; readonly newId: () => string }) {
    this.#store = store;
    this.queues = new Queues(store);
    this.sends = new DeduplicationWindow(store);
    this.clock = edges.clock;
    this.newId = edges.newId;
    this.attempts = new ReceiveAttempts(store);
    this.polls = new Polls(edges.clock);
  }

  /** The queue a QueueUrl means, without messages past their retention: its last path segment is the name. */
  queueAt(url: string): LocalQueue {
    const queue = this.queues.get(url.slice(url.lastIndexOf('/') + 1));
    if (queue === undefined) throw sqsError('QueueDoesNotExist', 'The specified queue does not exist.');
    this.expire(queue);
    return queue;
  }

  /** Removes messages past their retention; false when there are more of them. */
  expire({ messages }: LocalQueue): boolean {
    return this.#rememberingStored(() => messages.expire(this.clock.now()));
  }

  /** Makes changes in one transaction, then lets those who wait for `queues` look. */
  change<T>(queues: readonly string[], work: () => T): T {
    const result = this.#rememberingStored(() =>
      this.#store.transaction(() => {
        const done = work();
        this.queues.sweep();
        return done;
      }),
    );
    for (const queue of queues) this.polls.notify(queue);
    return result;
  }

  /** What is remembered of the queues is what is stored: if `work` fails, its changes are rolled back, and all is read anew. */
  #rememberingStored<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.queues.forget();
      throw error;
    }
  }
}
