import type { EngineClock } from '../machine.ts';
import type { Store } from '../store.ts';
import { noSuchQueue } from './batch.ts';
import { SentContents } from './message-contents.ts';
import { Polls } from './polls.ts';
import { type LocalQueue, LocalQueues } from './queues.ts';

interface SeenSend {
  readonly messageId: string;
  readonly sequence: number;
}

interface SendKey {
  readonly queue: number;
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/**
 * AWS docs, "Using the message deduplication ID": duplicates are dropped for 5 minutes from the
 * first send.
 */
export const deduplicationMilliseconds = 300_000;

/**
 * Outdated sends are looked for so often, among the oldest: more of them than came since, so that
 * they do not pile up.
 */
const forgetEvery = 16;
const maxForgotten = 2 * forgetEvery;

/** The sends of the last five minutes, whether or not their messages are still in a queue. */
class DeduplicationWindow {
  readonly #store: Store;
  #added = 0;

  constructor(store: Store) {
    this.#store = store;
    store.define(`
      CREATE TABLE IF NOT EXISTS sqs_sends (
        sequence INTEGER PRIMARY KEY, queue INTEGER NOT NULL, key TEXT NOT NULL,
        at INTEGER NOT NULL, message_id TEXT NOT NULL, UNIQUE (key, queue)
      ) STRICT`);
  }

  /** Remembers a send, unless it is a duplicate: then the response of the first. */
  add({ queue, key, at }: SendKey, { messageId, sequence }: SeenSend): SeenSend | undefined {
    const added = this.#store
      .sql(
        `INSERT INTO sqs_sends VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (key, queue) DO UPDATE SET sequence = excluded.sequence, at = excluded.at,
         message_id = excluded.message_id WHERE at <= ?`,
      )
      .run(sequence, queue, key, at, messageId, at - deduplicationMilliseconds);
    if (added === 0) return this.#first(queue, key);
    this.#added += 1;
    if (this.#added % forgetEvery === 0) this.#forget(at - deduplicationMilliseconds);
    return undefined;
  }

  #first(queue: number, key: string): SeenSend | undefined {
    return this.#store
      .sql<SeenSend>(
        'SELECT message_id AS messageId, sequence FROM sqs_sends WHERE queue = ? AND key = ?',
      )
      .get(queue, key);
  }

  #forget(until: number): void {
    this.#store
      .sql(
        `DELETE FROM sqs_sends WHERE sequence IN
         (SELECT sequence FROM sqs_sends ORDER BY sequence LIMIT ${maxForgotten}) AND at <= ?`,
      )
      .run(until);
  }
}

interface Attempt {
  readonly receipt: string;
  readonly sequences: readonly number[];
}

/** AWS docs, ReceiveMessage: an attempt can be repeated for five minutes. */
const attemptMilliseconds = 300_000;

class ReceiveAttempts {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    store.define(`
      CREATE TABLE IF NOT EXISTS sqs_attempts (
        queue INTEGER NOT NULL, attempt TEXT NOT NULL, until INTEGER NOT NULL,
        receipt TEXT NOT NULL, sequences TEXT NOT NULL, PRIMARY KEY (queue, attempt)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS sqs_attempts_by_end ON sqs_attempts (until);`);
  }

  find(queue: number, attempt: string, now: number): Attempt | undefined {
    const row = this.#store
      .sql<{ receipt: string; sequences: string }>(
        'SELECT receipt, sequences FROM sqs_attempts WHERE queue = ? AND attempt = ? AND until > ?',
      )
      .get(queue, attempt, now);
    return row && { receipt: row.receipt, sequences: JSON.parse(row.sequences) }; // as added
  }

  add(queue: number, attempt: string, made: Attempt & { now: number }): void {
    const { receipt, sequences, now } = made;
    this.#store.sql('DELETE FROM sqs_attempts WHERE until <= ?').run(now);
    this.#store
      .sql('INSERT OR REPLACE INTO sqs_attempts VALUES (?, ?, ?, ?, ?)')
      .run(queue, attempt, now + attemptMilliseconds, receipt, JSON.stringify(sequences));
  }
}

/** What the operations work on. Every change goes through `change`. */
export class SqsState {
  readonly queues: LocalQueues;
  readonly sends: DeduplicationWindow;
  readonly attempts: ReceiveAttempts;
  readonly polls: Polls;
  readonly contents = new SentContents();
  readonly clock: EngineClock;
  readonly newId: () => string;
  readonly #store: Store;

  constructor(store: Store, edges: { clock: EngineClock; newId: () => string }) {
    this.#store = store;
    this.queues = new LocalQueues(store);
    this.sends = new DeduplicationWindow(store);
    this.clock = edges.clock;
    this.newId = edges.newId;
    this.attempts = new ReceiveAttempts(store);
    this.polls = new Polls(edges.clock);
  }

  /**
   * The queue a QueueUrl means, without messages past their retention: its last path segment is the
   * name.
   */
  queueAt(url: string): LocalQueue {
    const queue = this.queues.get(url.slice(url.lastIndexOf('/') + 1));
    if (queue === undefined) throw noSuchQueue();
    this.expire(queue);
    return queue;
  }

  /** Removes messages past their retention; false when there are more of them. */
  expire({ messages }: LocalQueue): boolean {
    return this.#rememberingStored(() => messages.expire(this.clock.now()));
  }

  /** Makes changes in one transaction, then lets those who wait for `queues` look. */
  change<T>(queues: readonly string[], work: () => T): T {
    const result = this.#rememberingStored(() => this.#store.transaction(work));
    for (const queue of queues) this.polls.notify(queue);
    return result;
  }

  /**
   * What is remembered of the queues is what is stored: if `work` fails, its changes are rolled
   * back, and all is read anew.
   */
  #rememberingStored<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.queues.forget();
      throw error;
    }
  }
}
