import type { JsonObject } from '../../json/value.ts';
import { booleanOf, mapOf, textOf } from '../aws-json/input.ts';
import type { SqlValue, Store } from '../store.ts';
import { Capacity, readUnits } from './capacity.ts';
import { itemBytes } from './compare.ts';
import type { DynamoDb } from './engine.ts';
import { decodeItem, type ItemRow } from './items.ts';
import { type KeyRange, keyRange, rangeHolds } from './key-conditions.ts';
import {
  type IndexSchema,
  type KeySchema,
  keyAttributes,
  keyInIndex,
  keyOfItem,
  keyParts,
  pick,
  projectedByIndex,
  requestedKey,
  type StoredKey,
  type TableSchema,
} from './keys.ts';
import { Placeholders } from './placeholders.ts';
import { checkParameters, choice, invalid, positive, tableName } from './requests.ts';
import { type Attributes, readAttributes } from './values.ts';

/** A place in the order of a table or an index. In a table both keys are the same. */
export interface Position {
  readonly entry: StoredKey;
  readonly item: StoredKey;
}

interface Source {
  readonly table: TableSchema;
  readonly index: IndexSchema | undefined;
  readonly range: KeyRange | undefined;
  readonly forward: boolean;
  readonly after: Position | undefined;
  readonly max: number;
}

const fromTable = 'SELECT e.id, e.pk, e.sk, e.size, e.item, e.bytes FROM dynamodb_items e WHERE e.tbl = ?';

const fromIndex = `SELECT i.id, i.pk, i.sk, i.size, i.item, i.bytes
  FROM dynamodb_index_entries e JOIN dynamodb_items i ON i.id = e.item WHERE e.tbl = ? AND e.idx = ?`;

/** How many rows are read at first: most queries have few. Later as many as the page can still take, by the size of the first. */
const firstRows = 16;
const maxRows = 256;
const pageBytes = 1024 * 1024;

/** Reads rows in order, a few at a time, so that large items behind the end of a page are not read. */
export class Pages {
  readonly #store: Store;
  readonly #source: Source;
  #rows: readonly ItemRow[] = [];
  #at = 0;
  #asked = 0;
  #read = 0;
  #bytes = 0;
  #after: Position | undefined;

  constructor(store: Store, source: Source) {
    this.#store = store;
    this.#source = source;
    this.#after = source.after;
  }

  next(): ItemRow | undefined {
    if (this.#at >= this.#rows.length) this.#readMore();
    const row = this.#rows[this.#at];
    this.#at += 1;
    return row;
  }

  #readMore(): void {
    const last = this.#rows.at(-1);
    // Fewer than asked for: there are no more.
    if (this.#rows.length < this.#asked) {
      this.#rows = [];
      return;
    }
    if (last) this.#after = this.#positionOf(last);
    this.#asked = Math.min(this.#wanted(), this.#source.max - this.#read);
    this.#rows = this.#asked > 0 ? this.#select(this.#asked) : [];
    this.#at = 0;
    this.#read += this.#rows.length;
    for (const { size } of this.#rows) this.#bytes += size;
  }

  /** From the item: libsql cuts a text column at its first zero character. */
  #positionOf(row: ItemRow): Position {
    const { table, index } = this.#source;
    const attributes = decodeItem(table, row);
    const item = keyOfItem(table.key, attributes);
    return { entry: (index && keyInIndex(index, attributes)) ?? item, item };
  }

  #wanted(): number {
    if (this.#read === 0) return firstRows;
    const average = this.#bytes / this.#read;
    return Math.max(1, Math.min(maxRows, Math.ceil((pageBytes - this.#bytes) / average)));
  }

  #select(limit: number): readonly ItemRow[] {
    const { table, index, range, forward } = this.#source;
    const values: SqlValue[] = index ? [table.id, index.number] : [table.id];
    const text = [index ? fromIndex : fromTable];
    const where = (condition: string, ...bound: readonly SqlValue[]): void => {
      text.push(condition);
      values.push(...bound);
    };
    if (range) {
      where('e.pk = ?', range.partition);
      const { lower, upper } = range.sort;
      if (lower) where(`e.sk ${lower.included ? '>=' : '>'} ?`, lower.key);
      if (upper) where(`e.sk ${upper.included ? '<=' : '<'} ?`, upper.key);
    }
    this.#afterPosition(where);
    const order = ['e.pk', 'e.sk', ...(index ? ['e.item_pk', 'e.item_sk'] : [])];
    values.push(limit);
    const ordered = order.map(column => `${column} ${forward ? 'ASC' : 'DESC'}`).join(', ');
    return this.#store.sql<ItemRow>(`${text.join(' AND ')} ORDER BY ${ordered} LIMIT ?`).all(...values);
  }

  #afterPosition(where: (condition: string, ...bound: readonly SqlValue[]) => void): void {
    const { index, range, forward } = this.#source;
    if (!this.#after) return;
    const { entry, item } = this.#after;
    const sign = forward ? '>' : '<';
    const columns = [...(range ? [] : ['e.pk']), 'e.sk', ...(index ? ['e.item_pk', 'e.item_sk'] : [])];
    const bound = [...(range ? [entry[1]] : entry), ...(index ? item : [])];
    where(`(${columns.join(', ')}) ${sign} (${columns.map(() => '?').join(', ')})`, ...bound);
  }
}

/** DynamoDB reads 1 MB for a page. */
const maxPageBytes = 1024 * 1024;

const parameters = [
  'TableName',
  'IndexName',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ConsistentRead',
  'ExclusiveStartKey',
  'Limit',
  'ReturnConsumedCapacity',
  'Select',
];

interface Search {
  readonly table: TableSchema;
  readonly index: IndexSchema | undefined;
  readonly range: KeyRange | undefined;
  readonly counts: boolean;
  readonly consistent: boolean;
  readonly max: number;
  readonly forward: boolean;
  readonly after: Position | undefined;
}

const indexOf = (table: TableSchema, input: JsonObject): IndexSchema | undefined => {
  const name = textOf(input, 'IndexName');
  if (name === undefined) return undefined;
  const index = table.indexes.find(each => each.name === name);
  if (index) return index;
  throw invalid(`The table does not have the specified index: ${name}`);
};

const wrongStart = () => invalid('The provided starting key is invalid');

const startOf = (
  { table, index, range }: Pick<Search, 'table' | 'index' | 'range'>,
  input: JsonObject,
): Position | undefined => {
  const given = mapOf(input, 'ExclusiveStartKey');
  if (given === undefined) return undefined;
  const attributes = readAttributes(given);
  const item = startKey(table.key, attributes);
  const entry = index ? startKey(index.key, attributes) : item;
  const expected = Object.keys(keyAttributes(table, index, attributes));
  if (Object.keys(attributes).length !== expected.length) throw wrongStart();
  if (range && !rangeHolds(range, entry))
    throw invalid('The provided starting key does not match the range key predicate');
  return { entry, item };
};

const startKey = (key: KeySchema, attributes: Attributes): StoredKey => {
  try {
    return requestedKey(
      key,
      pick(
        attributes,
        keyParts(key).map(({ name }) => name),
      ),
    );
  } catch {
    throw wrongStart();
  }
};

const readSearch = ({ tables }: DynamoDb, input: JsonObject, isQuery: boolean): Search => {
  const name = tableName(input);
  const placeholders = new Placeholders(input);
  const max = positive(input, 'Limit') ?? Number.POSITIVE_INFINITY;
  const table = tables.schema(name);
  const index = indexOf(table, input);
  const counts = choice(input, 'Select', ['', 'COUNT']) === 'COUNT';
  const consistent = booleanOf(input, 'ConsistentRead') ?? false;
  const schema = (index ?? table).key;
  const text = textOf(input, 'KeyConditionExpression');
  const range = text === undefined ? undefined : keyRange(schema, text, placeholders);
  placeholders.checkAllUsed(isQuery ? { KeyConditionExpression: text } : {});
  if (isQuery && range === undefined)
    throw invalid(
      'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
    );
  if (consistent && index) throw invalid('Consistent reads are not supported on global secondary indexes');
  return {
    table,
    index,
    range,
    counts,
    consistent,
    max,
    forward: booleanOf(input, 'ScanIndexForward') ?? true,
    after: startOf({ table, index, range }, input),
  };
};

interface Page {
  readonly items: Attributes[];
  scanned: number;
  bytes: number;
  last?: Attributes;
}

/** Reads items until the page is full. `last` is set if it may not be the end. */
const readPage = (dynamoDb: DynamoDb, search: Search): Page => {
  const { table, index } = search;
  const page: Page = { items: [], scanned: 0, bytes: 0 };
  const rows = new Pages(dynamoDb.store, search);
  for (let row = rows.next(); row !== undefined; row = rows.next()) {
    const whole = decodeItem(table, row);
    const item = index ? projectedByIndex(table, index, whole) : whole;
    page.bytes += index && index.projected !== 'ALL' ? itemBytes(item) : row.size;
    page.scanned += 1;
    if (!search.counts) page.items.push(item);
    if (page.scanned >= search.max || page.bytes >= maxPageBytes) {
      page.last = keyAttributes(table, index, whole);
      break;
    }
  }
  return page;
};

const response = (dynamoDb: DynamoDb, search: Search, input: JsonObject): JsonObject => {
  const capacity = new Capacity(input);
  const page = readPage(dynamoDb, search);
  capacity.add(search.table, readUnits(page.bytes, search.consistent));
  return {
    ...(search.counts ? {} : { Items: page.items }),
    Count: page.scanned,
    ScannedCount: page.scanned,
    ...(page.last ? { LastEvaluatedKey: page.last } : {}),
    ...capacity.ofOne(),
  };
};

export const query = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  checkParameters('Query', input, [...parameters, 'KeyConditionExpression', 'ScanIndexForward']);
  return response(dynamoDb, readSearch(dynamoDb, input, true), input);
};

export const scan = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  checkParameters('Scan', input, parameters);
  return response(dynamoDb, readSearch(dynamoDb, input, false), input);
};
