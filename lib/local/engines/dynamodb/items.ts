import type { Store } from '../store.ts';
import {
  type KeySchema,
  keyInIndex,
  keyNames,
  type StoredKey,
  sameKey,
  type TableSchema,
} from './keys.ts';
import { invalid } from './requests.ts';
import { type Attributes, attributeOf, itemBytes, setAttribute, type Value } from './values.ts';

/*
 * How an item is stored: its JSON text, and the bytes of its binary values one after another, which
 * are neither encoded nor read where nobody asks for them. Most values are the JSON value of their
 * kind, which is shorter than DynamoDB's form.
 */

/** A place among the bytes. */
type BytesAt = readonly [start: number, length: number];

type Encoded =
  /** A text, or a number that JavaScript writes as DynamoDB does. */
  | string
  | number
  | boolean
  | null
  | readonly Encoded[]
  | { readonly M: Readonly<Record<string, Encoded>> }
  | { readonly B: BytesAt }
  | Extract<Value, { N: unknown } | { SS: unknown } | { NS: unknown }>;

type LeftOut = (name: string, value: Value) => boolean;

/** Gathers the bytes of an item. */
class Encoder {
  readonly parts: Uint8Array[] = [];
  #length = 0;

  map(attributes: Attributes, isLeftOut?: LeftOut): Readonly<Record<string, Encoded>> {
    const map: Record<string, Encoded> = {};
    for (const [name, value] of Object.entries(attributes))
      if (isLeftOut?.(name, value) !== true) setAttribute(map, name, this.#value(value));
    return map;
  }

  #value(value: Value): Encoded {
    if ('S' in value) return value.S;
    if ('N' in value) {
      if (String(Number(value.N)) === value.N) return Number(value.N);
      return value;
    }
    if ('M' in value) return { M: this.map(value.M) };
    if ('L' in value) return value.L.map(member => this.#value(member));
    if ('B' in value) return { B: this.#bytes(value.B) };
    if ('BOOL' in value) return value.BOOL;
    return 'NULL' in value ? null : value;
  }

  #bytes(bytes: Uint8Array): BytesAt {
    this.parts.push(bytes);
    this.#length += bytes.length;
    return [this.#length - bytes.length, bytes.length];
  }
}

/** @param isLeftOut which attributes are kept elsewhere */
export const encodeAttributes = (
  attributes: Attributes,
  isLeftOut?: LeftOut,
): { text: string; bytes: Uint8Array | null } => {
  const encoder = new Encoder();
  const text = JSON.stringify(encoder.map(attributes, isLeftOut));
  const { parts } = encoder;
  if (parts.length === 0) return { text, bytes: null };
  return { text, bytes: Buffer.concat(parts) };
};

const none = new Uint8Array();

/** The bytes at a place, in memory that nothing else uses. */
const slice = (bytes: Uint8Array, [start, length]: BytesAt): Uint8Array =>
  new Uint8Array(bytes.subarray(start, start + length));

const decodeValue = (value: Encoded, bytes: Uint8Array): Value => {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (isList(value)) return { L: value.map(member => decodeValue(member, bytes)) };
  if ('M' in value) return { M: decodeMap(value.M, bytes) };
  if ('B' in value) return { B: slice(bytes, value.B) };
  return value;
};

const isList = (value: Encoded): value is readonly Encoded[] => Array.isArray(value);

const decodeMap = (
  map: Readonly<Record<string, Encoded>>,
  bytes: Uint8Array,
): Record<string, Value> => {
  const attributes: Record<string, Value> = {};
  for (const [name, value] of Object.entries(map))
    setAttribute(attributes, name, decodeValue(value, bytes));
  return attributes;
};

/** What {@link encodeAttributes} was given, new for every caller. */
export const decodeAttributes = (text: string, bytes: Uint8Array | null): Record<string, Value> =>
  decodeMap(JSON.parse(text), bytes ?? none);

/*
 * A text that is a key is only in the key's column; `item` and `bytes` have the rest. An index has
 * an item's id; what it does not project is left out when it is read.
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

type ExpiredRow = ItemRow & { readonly tbl: number };

export interface StoredItem {
  readonly id: number;
  readonly size: number;
  readonly attributes: Attributes;
}

/** Whether a column gives a key back as it was: libsql cuts a text at its first zero character. */
const comesBack = (value: Value): boolean => 'S' in value && !value.S.includes('\0');

const inColumn =
  (schema: KeySchema) =>
  (name: string, value: Value): boolean =>
    keyNames(schema).includes(name) && comesBack(value);

/** Sets the keys of an item that only their columns have. */
export const withKeys = (
  attributes: Record<string, Value>,
  schema: KeySchema,
  columns: readonly (StoredKey[number] | undefined)[],
): Record<string, Value> => {
  for (const [at, name] of keyNames(schema).entries()) {
    const column = columns[at];
    if (typeof column === 'string' && attributeOf(attributes, name) === undefined)
      setAttribute(attributes, name, { S: column });
  }
  return attributes;
};

export const decodeItem = (
  { key }: Pick<TableSchema, 'key'>,
  { pk, sk, item, bytes }: Pick<ItemRow, 'pk' | 'sk' | 'item' | 'bytes'>,
): Record<string, Value> => withKeys(decodeAttributes(item, bytes), key, [pk, sk]);

export const storedItem = (table: Pick<TableSchema, 'key'>, row: ItemRow): StoredItem => ({
  id: row.id,
  size: row.size,
  attributes: decodeItem(table, row),
});

/** A write of one item: what was there, and what shall be; undefined for nothing. */
interface ItemChange {
  readonly table: TableSchema;
  readonly key: StoredKey;
  readonly before: StoredItem | undefined;
  readonly after?: Attributes | undefined;
}

export interface SizedChange extends ItemChange {
  readonly size: number;
}

/** @throws AwsError if the item would be too large */
export const sized = (change: ItemChange): SizedChange => {
  const size = change.after ? itemBytes(change.after) : 0;
  if (size <= maxItemBytes) return { ...change, size };
  throw invalid('Item size has exceeded the maximum allowed size');
};

const expiryOf = ({ expiry }: TableSchema, item: Attributes): number | null => {
  const value = expiry === undefined ? undefined : attributeOf(item, expiry);
  const seconds = value !== undefined && 'N' in value ? Math.floor(Number(value.N)) : Number.NaN;
  return Number.isSafeInteger(seconds) ? seconds : null;
};

const columns = 'id, pk, sk, size, item, bytes';
const selectOne = `SELECT ${columns} FROM dynamodb_items WHERE tbl = ? AND pk = ? AND sk = ?`;

export class Items {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    store.define(definition);
  }

  find(table: TableSchema, key: StoredKey): StoredItem | undefined {
    const row = this.#store.sql<ItemRow>(selectOne).get(table.id, ...key);
    return row && storedItem(table, row);
  }

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
          'DELETE FROM dynamodb_index_entries WHERE tbl = ? AND idx = ? AND pk = ? AND sk = ? ' +
            'AND item_pk = ? AND item_sk = ?',
        )
        .run(table.id, index.number, ...from, ...key);
    if (to)
      this.#store
        .sql(
          'INSERT INTO dynamodb_index_entries (tbl, idx, pk, sk, item_pk, item_sk, item) ' +
            'VALUES (?, ?, ?, ?, ?, ?, ?)',
        )
        .run(table.id, index.number, ...to, ...key, id);
  }

  /** Rows of items that expired in a span of seconds, those that expired first before others. */
  expired(after: number, before: number, max: number): readonly ExpiredRow[] {
    return this.#store
      .sql<ExpiredRow>(
        `SELECT ${columns}, tbl FROM dynamodb_items WHERE expires > ? AND expires < ? ORDER ` +
          'BY expires LIMIT ?',
      )
      .all(after, before, max);
  }

  clear(table: number): void {
    this.#store.sql('DELETE FROM dynamodb_items WHERE tbl = ?').run(table);
    this.#store.sql('DELETE FROM dynamodb_index_entries WHERE tbl = ?').run(table);
  }
}
