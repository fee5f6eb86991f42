import type { Store } from '../store/store.ts';

/** What later duplicates of a send get as their answer. */
export interface SeenSend {
  readonly messageId: string;
  readonly sequence: number;
}

/** A send, as duplicates of it are recognised: by queue and key. */
interface SendKey {
  /** The queue's number. */
  readonly queue: number;
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** AWS docs, "Using the message deduplication ID": duplicates are dropped for 5 minutes from the first send. */
export const deduplicationMilliseconds = 300_000;

/** How many outdated sends are forgotten with each new one: more than one, so that they do not pile up. */
const forgottenAtOnce = 20;

const bucketOf = (at: number) => Math.floor(at / deduplicationMilliseconds);

/**
 * The sends of the last five minutes, whether or not their messages are still in a queue. They are kept in buckets of
 * five minutes: a bucket that has passed is forgotten little by little, without an index by time.
 */
export class DeduplicationWindow {
  readonly #store: Store;
  /** Older buckets are empty. */
  #oldestBucket = 0;

  constructor(store: Store) {
    this.#store = store;
    store.define(`
      CREATE TABLE IF NOT EXISTS sqs_sends (
        bucket INTEGER NOT NULL, queue INTEGER NOT NULL, key TEXT NOT NULL,
        at INTEGER NOT NULL, message_id TEXT NOT NULL, sequence INTEGER NOT NULL,
        PRIMARY KEY (bucket, queue, key)
      ) STRICT, WITHOUT ROWID`);
  }

  find({ queue, key, at }: SendKey): SeenSend | undefined {
    const bucket = bucketOf(at);
    // The next bucket: a clock may be set back.
    return this.#store
      .sql<SeenSend>(
        `SELECT message_id AS messageId, sequence FROM sqs_sends
         WHERE bucket IN (?, ?, ?) AND queue = ? AND key = ? AND at > ?`,
      )
      .get(bucket, bucket - 1, bucket + 1, queue, key, at - deduplicationMilliseconds);
  }

  add({ queue, key, at }: SendKey, { messageId, sequence }: SeenSend): void {
    this.#store
      .sql('INSERT OR REPLACE INTO sqs_sends VALUES (?, ?, ?, ?, ?, ?)')
      .run(bucketOf(at), queue, key, at, messageId, sequence);
    this.#forget(bucketOf(at) - 1);
  }

  #forget(before: number): void {
    if (this.#oldestBucket >= before) return;
    const forgotten = this.#store
      .sql(
        `DELETE FROM sqs_sends WHERE (bucket, queue, key) IN
         (SELECT bucket, queue, key FROM sqs_sends WHERE bucket < ? LIMIT ${forgottenAtOnce})`,
      )
      .run(before);
    if (forgotten < forgottenAtOnce) this.#oldestBucket = before;
  }
}
