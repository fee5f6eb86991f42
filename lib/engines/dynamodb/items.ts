import type { Store } from '../store.ts';
import { itemBytes } from './compare.ts';
import { type KeySchema, keyInIndex, keyParts, type StoredKey, sameKey, type TableSchema } from './keys.ts';
import { invalid } from './requests.ts';
import { decodeAttributes, encodeAttributes } from './stored-form.ts';
import { type Attributes, attributeOf, setAttribute, type Value } from './values.ts';

/*
 * A text that is a key is only in the key's column; `item` and `bytes` have the rest. An index has an item's id; what it does not
 * project is left out when it is read.
 */
const definition = `
  CREATE TABLE IF NOT EXISTS dynamodb_items (
    id INTEGER PRIMARY KEY,
    tbl INTEGER NOT NULL,
    pk ANY NOT NULL,
    sk ANY NOT NULL,
    size INTEGER NOT NULL,
    expires INTEGER,
    item TEXT NOT NULL,
    bytes BLOB
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS dynamodb_keys ON dynamodb_items (tbl, pk, sk);
  CREATE INDEX IF NOT EXISTS dynamodb_expiry ON dynamodb_items (expires) WHERE expires IS NOT NULL;
  CREATE TABLE IF NOT EXISTS dynamodb_index_entries (
    tbl INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    pk ANY NOT NULL,
    sk ANY NOT NULL,
    item_pk ANY NOT NULL,
    item_sk ANY NOT NULL,
    item INTEGER NOT NULL,
    PRIMARY KEY (tbl, idx, pk, sk, item_pk, item_sk)
  ) STRICT, WITHOUT ROWID;
`;

/** DynamoDB's maximum size of an item. */
const maxItemBytes = 400 * 1024;

export interface ItemRow {
  readonly id: number;
  readonly pk: StoredKey[0];
  readonly sk: StoredKey[1];
  readonly size: number;
  readonly item: string;
  readonly bytes: Uint8Array | null;
}

/** The row of an item that has expired, and its table. */
type ExpiredRow = ItemRow & { readonly tbl: number };

/** An item as it is stored. */
export interface StoredItem {
  readonly id: number;
  readonly size: number;
  readonly attributes: Attributes;
}

/** Whether a column gives a key back as it was: libsql cuts a text at its first zero character. */
const comesBack = (value: Value): boolean => 'S' in value && !value.S.includes('\0');

/** Whether an attribute is kept in a column of its own. */
const inColumn =
  ({ partition, sort }: KeySchema) =>
  (name: string, value: Value): boolean =>
    (name === partition.name || name === sort?.name) && comesBack(value);

/** The attributes of a row, new for every caller. */
export const decodeItem = (
  { key }: Pick<TableSchema, 'key'>,
  { pk, sk, item, bytes }: Pick<ItemRow, 'pk' | 'sk' | 'item' | 'bytes'>,
): Attributes => {
  const attributes = decodeAttributes(item, bytes);
  for (const [at, { name }] of keyParts(key).entries()) {
    const column = at === 0 ? pk : sk;
    if (typeof column === 'string' && attributeOf(attributes, name) === undefined)
      setAttribute(attributes, name, { S: column });
  }
  return attributes;
};

/** A write of one item: what was there, and what shall be; undefined for nothing. */
export interface ItemChange {
  readonly table: TableSchema;
  readonly key: StoredKey;
  readonly before: StoredItem | undefined;
  readonly after: Attributes | undefined;
}

/** A change that may be written. */
export interface SizedChange extends ItemChange {
  /** Of the item after it; 0 if there is none. */
  readonly size: number;
}

/** @throws AwsError if the item would be too large */
export const sized = (change: ItemChange): SizedChange => {
  const size = change.after ? itemBytes(change.after) : 0;
  if (size <= maxItemBytes) return { ...change, size };
  throw invalid(
    change.before
      ? 'Item size to update has exceeded the maximum allowed size'
      : 'Item size has exceeded the maximum allowed size',
  );
};

const expiryOf = ({ expiry }: TableSchema, item: Attributes): number | null => {
  const value = expiry === undefined ? undefined : attributeOf(item, expiry);
  const seconds = value !== undefined && 'N' in value ? Math.floor(Number(value.N)) : Number.NaN;
  return Number.isSafeInteger(seconds) && seconds > 0 ? seconds : null;
};

const columns = 'id, pk, sk, size, item, bytes';
const selectOne = `SELECT ${columns} FROM dynamodb_items WHERE tbl = ? AND pk = ? AND sk = ?`;

/** The items of all tables. */
export class Items {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    store.define(definition);
  }

  find(table: TableSchema, key: StoredKey): StoredItem | undefined {
    const row = this.#store.sql<ItemRow>(selectOne).get(table.id, ...key);
    return row && { id: row.id, size: row.size, attributes: decodeItem(table, row) };
  }

  /** Stores a change, in the table and in its indexes. */
  write(change: SizedChange): void {
    const { table, before, after, size } = change;
    const id = after ? this.#save(change, after, size) : this.#delete(before);
    for (const index of table.indexes) this.#moveEntry(change, index, id);
  }

  #save({ table, key, before }: ItemChange, item: Attributes, size: number): number {
    const { text, bytes } = encodeAttributes(item, inColumn(table.key));
    const expires = expiryOf(table, item);
    if (before) {
      this.#store
        .sql('UPDATE dynamodb_items SET size = ?, expires = ?, item = ?, bytes = ? WHERE id = ?')
        .run(size, expires, text, bytes, before.id);
      return before.id;
    }
    return this.#store
      .sql(
        'INSERT INTO dynamodb_items (tbl, pk, sk, size, expires, item, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .insert(table.id, ...key, size, expires, text, bytes);
  }

  #delete(before: StoredItem | undefined): number {
    if (before) this.#store.sql('DELETE FROM dynamodb_items WHERE id = ?').run(before.id);
    return before?.id ?? 0;
  }

  #moveEntry(
    { table, key, before, after }: ItemChange,
    index: TableSchema['indexes'][number],
    id: number,
  ): void {
    const [from, to] = [before?.attributes, after].map(item => item && keyInIndex(index, item));
    if (sameKey(from, to)) return;
    if (from)
      this.#store
        .sql(
          'DELETE FROM dynamodb_index_entries WHERE tbl = ? AND idx = ? AND pk = ? AND sk = ? AND item_pk = ? AND item_sk = ?',
        )
        .run(table.id, index.number, ...from, ...key);
    if (to)
      this.#store
        .sql(
          'INSERT INTO dynamodb_index_entries (tbl, idx, pk, sk, item_pk, item_sk, item) VALUES (?, ?, ?, ?, ?, ?, ?)',
        )
        .run(table.id, index.number, ...to, ...key, id);
  }

  /** Rows of items that expired in a span of seconds, those that expired first before others. */
  expired(after: number, before: number, max: number): readonly ExpiredRow[] {
    return this.#store
      .sql<ExpiredRow>(
        `SELECT ${columns}, tbl FROM dynamodb_items WHERE expires > ? AND expires < ? ORDER BY expires LIMIT ?`,
      )
      .all(after, before, max);
  }

  /** Deletes everything in a table. */
  clear(table: number): void {
    this.#store.sql('DELETE FROM dynamodb_items WHERE tbl = ?').run(table);
    this.#store.sql('DELETE FROM dynamodb_index_entries WHERE tbl = ?').run(table);
  }
}
