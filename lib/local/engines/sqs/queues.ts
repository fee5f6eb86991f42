import { objectInput, textMapOf } from '../aws-json/input.ts';
import type { Store } from '../store.ts';
import { defineMessages, QueueMessages } from './messages.ts';

export type QueueAttributes = Readonly<Record<string, string>>;

interface QueueRow {
  readonly name: string;
  readonly id: number;
  readonly uid: string;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly attributes: string;
}

export class LocalQueue {
  readonly name: string;
  /**
   * Distinguishes a queue from an earlier one with the same name: a number here, a text in receipt
   * handles.
   */
  readonly id: number;
  readonly uid: string;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly attributes: QueueAttributes;
  readonly messages: QueueMessages;

  constructor(store: Store, row: QueueRow) {
    this.name = row.name;
    this.id = row.id;
    this.uid = row.uid;
    this.createdAt = row.createdAt;
    this.changedAt = row.changedAt;
    const attributes = objectInput(JSON.parse(row.attributes), 'the stored attributes');
    this.attributes = textMapOf({ attributes }, 'attributes') ?? {};
    const retentionSeconds = Number(this.attributes['MessageRetentionPeriod']);
    this.messages = new QueueMessages(store, row.id, retentionSeconds * 1000);
  }

  number(
    name: 'MaximumMessageSize' | 'ReceiveMessageWaitTimeSeconds' | 'VisibilityTimeout',
  ): number {
    return Number(this.attributes[name]);
  }

  deduplicationKey(group: string, deduplicationId: string): string {
    const perGroup = this.attributes['DeduplicationScope'] === 'messageGroup';
    if (perGroup) return `${group}\n${deduplicationId}`;
    return deduplicationId;
  }
}

const tables = `
  CREATE TABLE IF NOT EXISTS sqs_queues (
    name TEXT PRIMARY KEY, id INTEGER NOT NULL, uid TEXT NOT NULL,
    created_at INTEGER NOT NULL, changed_at INTEGER NOT NULL, attributes TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS sqs_numbers (
    name TEXT PRIMARY KEY, reserved INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO sqs_numbers VALUES ('sequence', 0);`;

const maxKnown = 1_000;
/** Sequence numbers are taken from the database so many at a time. */
const numbersPerReservation = 1_000;

/**
 * All queues. Their settings are kept at hand; changes belong into a transaction, and `forget`
 * follows one that failed.
 */
export class LocalQueues {
  readonly #store: Store;
  readonly #known = new Map<string, LocalQueue>();
  #reserved = Number.NaN;
  /** How many numbers up to the reserved one are not taken. */
  #free = 0;

  constructor(store: Store) {
    this.#store = store;
    defineMessages(store);
    store.define(tables);
  }

  get names(): readonly string[] {
    const rows = this.#store
      .sql<{ name: string }>('SELECT name FROM sqs_queues ORDER BY name')
      .all();
    return rows.map(({ name }) => name);
  }

  get(name: string): LocalQueue | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const row = this.#store
      .sql<QueueRow>(
        `SELECT name, id, uid, created_at AS createdAt, changed_at AS changedAt, attributes
         FROM sqs_queues WHERE name = ?`,
      )
      .get(name);
    if (row === undefined) return undefined;
    const queue = new LocalQueue(this.#store, row);
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(name, queue);
    return queue;
  }

  /**
   * A number greater than all before it, over all queues and restarts: for messages, and for
   * queues.
   */
  nextNumber(): number {
    if (this.#free === 0) {
      const row = this.#store
        .sql<{ reserved: number }>(
          `UPDATE sqs_numbers SET reserved = reserved + ${numbersPerReservation} WHERE name = ` +
            "'sequence' RETURNING reserved",
        )
        .get();
      this.#reserved = Number(row?.reserved);
      this.#free = numbersPerReservation;
    }
    this.#free -= 1;
    return this.#reserved - this.#free;
  }

  create(created: { name: string; uid: string; at: number; attributes: QueueAttributes }): void {
    const { name, uid, at, attributes } = created;
    const id = this.nextNumber();
    this.#store
      .sql('INSERT INTO sqs_queues VALUES (?, ?, ?, ?, ?, ?)')
      .run(name, id, uid, at, at, JSON.stringify(attributes));
  }

  /**
   * A new retention also applies to messages that are already in the queue (AWS docs,
   * SetQueueAttributes).
   */
  configure({ name }: LocalQueue, attributes: QueueAttributes, at: number): void {
    this.#store
      .sql('UPDATE sqs_queues SET attributes = ?, changed_at = ? WHERE name = ?')
      .run(JSON.stringify(attributes), at, name);
    this.#known.delete(name);
  }

  purge({ name, id }: LocalQueue): void {
    for (const table of ['sqs_messages', 'sqs_receives', 'sqs_groups'])
      this.#store.sql(`DELETE FROM ${table} WHERE queue = ?`).run(id);
    this.#known.delete(name);
  }

  drop(queue: LocalQueue): void {
    this.#store.sql('DELETE FROM sqs_queues WHERE name = ?').run(queue.name);
    this.purge(queue);
  }

  /** Reads everything anew: a transaction failed. */
  forget(): void {
    this.#known.clear();
    this.#free = 0;
  }
}
