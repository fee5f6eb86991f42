import type { Store } from '../store.ts';

/** What later duplicates of a send get as their response. */
interface SeenSend {
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

/** Outdated sends are looked for so often, among the oldest: more of them than came since, so that they do not pile up. */
const forgetEvery = 16;
const maxForgotten = 2 * forgetEvery;

/** The sends of the last five minutes, whether or not their messages are still in a queue. */
export class DeduplicationWindow {
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
      .sql<SeenSend>('SELECT message_id AS messageId, sequence FROM sqs_sends WHERE queue = ? AND key = ?')
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

/** What a receive handed out. */
interface Attempt {
  readonly receipt: string;
  readonly sequences: readonly number[];
}

/** AWS docs, ReceiveMessage: an attempt can be repeated for five minutes. */
const attemptMilliseconds = 300_000;

const numbersIn = (json: string): readonly number[] => {
  const values: unknown = JSON.parse(json);
  return Array.isArray(values) ? values.filter(value => typeof value === 'number') : [];
};

/** The receives of the last five minutes whose callers named them, so that they can be repeated. */
export class ReceiveAttempts {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    store.define(`
      CREATE TABLE IF NOT EXISTS sqs_attempts (
        contents INTEGER NOT NULL, attempt TEXT NOT NULL, until INTEGER NOT NULL,
        receipt TEXT NOT NULL, sequences TEXT NOT NULL, PRIMARY KEY (contents, attempt)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS sqs_attempts_by_end ON sqs_attempts (until);`);
  }

  /** @param contents the number of the queue's messages */
  find(contents: number, attempt: string, now: number): Attempt | undefined {
    const row = this.#store
      .sql<{ receipt: string; sequences: string }>(
        'SELECT receipt, sequences FROM sqs_attempts WHERE contents = ? AND attempt = ? AND until > ?',
      )
      .get(contents, attempt, now);
    return row && { receipt: row.receipt, sequences: numbersIn(row.sequences) };
  }

  add(contents: number, attempt: string, made: Attempt & { readonly now: number }): void {
    const { receipt, sequences, now } = made;
    this.#store.sql('DELETE FROM sqs_attempts WHERE until <= ?').run(now);
    this.#store
      .sql('INSERT OR REPLACE INTO sqs_attempts VALUES (?, ?, ?, ?, ?)')
      .run(contents, attempt, now + attemptMilliseconds, receipt, JSON.stringify(sequences));
  }
}
