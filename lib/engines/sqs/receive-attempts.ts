import type { Store } from '../store.ts';

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
