import type { JsonObject } from '../../../platform/json/value.ts';
import { booleanInput, integerInput, mapOf, textInput } from '../aws-json/input.ts';
import type { SqlValue, Store } from '../store.ts';
import { Capacity, readUnits } from './capacity.ts';
import type { DynamoDb } from './engine.ts';
import { Placeholders } from './expression.ts';
import { decodeItem, type ItemRow, withKeys } from './items.ts';
import { type KeyRange, readKeyRange } from './key-conditions.ts';
import {
  type IndexSchema,
  keyAttributes,
  keyInIndex,
  keyOfItem,
  projectedByIndex,
  type StoredKey,
  type TableSchema,
} from './keys.ts';
import { choice, invalid } from './requests.ts';
import { type Attributes, itemBytes, readAttributes } from './values.ts';

/** A place in the order of a table or an index. In a table both keys are the same. */
interface Position {
  readonly entry: StoredKey;
  readonly item: StoredKey;
}

interface Search {
  readonly table: TableSchema;
  readonly index: IndexSchema | undefined;
  /** Absent: all of the table. */
  readonly range?: KeyRange;
  readonly forward: boolean;
  readonly after: Position | undefined;
  readonly max: number;
  readonly counts: boolean;
  readonly consistent: boolean;
}

/** The keys of an index are only in the rows of one that has nothing else. */
interface IndexedRow extends ItemRow {
  readonly index_pk?: ItemRow['pk'];
  readonly index_sk?: ItemRow['sk'];
}

const fromTable =
  'SELECT e.id, e.pk, e.sk, e.size, e.item, e.bytes FROM dynamodb_items e WHERE e.tbl = ?';

const fromIndex = `SELECT i.id, i.pk, i.sk, i.size, i.item, i.bytes
  FROM dynamodb_index_entries e JOIN dynamodb_items i ON i.id = e.item WHERE e.tbl = ? AND e.idx = ?`;

/** When an entry's columns do not give all keys back: the item has them. */
const lacksKey = ['e.pk', 'e.sk', 'e.item_pk', 'e.item_sk']
  .map(column => `typeof(${column}) <> 'text' OR instr(${column}, char(0))`)
  .join(' OR ');

/** Items may be large: an index of keys does without them. */
const fromKeys = `SELECT e.item_pk AS pk, e.item_sk AS sk, e.pk AS index_pk, e.sk AS index_sk,
  CASE WHEN ${lacksKey} THEN (SELECT item FROM dynamodb_items WHERE id = e.item) ELSE '{}' END AS item
  FROM dynamodb_index_entries e WHERE e.tbl = ? AND e.idx = ?`;

const sourceOf = (index: IndexSchema | undefined): string => {
  if (!index) return fromTable;
  return index.projected === 'ALL' ? fromIndex : fromKeys;
};

const select = (store: Store, { table, index, range, forward, after }: Search, limit: number) => {
  const values: SqlValue[] = index ? [table.id, index.number] : [table.id];
  const text = [sourceOf(index)];
  const where = (condition: string, ...bound: readonly SqlValue[]): void => {
    text.push(condition);
    values.push(...bound);
  };
  if (range) {
    where('e.pk = ?', range.partition);
    const { lower, upper } = range.sort;
    // After a page, SQLite is to begin where that ended, and not to find the first end of the range
    // by its index and pass over all pages so far: a plus keeps it from that.
    const plus = after ? '+' : '';
    if (lower) where(`${forward ? plus : ''}e.sk ${lower.included ? '>=' : '>'} ?`, lower.key);
    if (upper) where(`${forward ? '' : plus}e.sk ${upper.included ? '<=' : '<'} ?`, upper.key);
  }
  // In a range all have one partition key, which would keep SQLite from finding the place by its
  // index.
  const columns = [
    ...(range ? [] : ['e.pk']),
    'e.sk',
    ...(index ? ['e.item_pk', 'e.item_sk'] : []),
  ];
  if (after) {
    const bound = [...(range ? [after.entry[1]] : after.entry), ...(index ? after.item : [])];
    where(
      `(${columns.join(', ')}) ${forward ? '>' : '<'} (${columns.map(() => '?').join(', ')})`,
      ...bound,
    );
  }
  const order = columns.map(column => `${column} ${forward ? 'ASC' : 'DESC'}`).join(', ');
  return store
    .sql<IndexedRow>(`${text.join(' AND ')} ORDER BY ${order} LIMIT ?`)
    .all(...values, limit);
};

const positionOf = (
  { table, index }: Pick<Search, 'table' | 'index'>,
  attributes: Attributes,
): Position => {
  const item = keyOfItem(table.key, attributes);
  return { entry: (index && keyInIndex(index, attributes)) ?? item, item };
};

const decodeRow = ({ table, index }: Search, row: IndexedRow): Attributes => {
  const item = decodeItem(table, row);
  return index ? withKeys(item, index.key, [row.index_pk, row.index_sk]) : item;
};

const firstRows = 16;
const maxRows = 256;

/**
 * Reads rows in order, ever more at a time: most queries have few, and large items behind the end
 * of a page are not read.
 */
function* rowsOf(store: Store, search: Search) {
  let { after } = search;
  for (let wanted = firstRows; ; wanted = Math.min(2 * wanted, maxRows)) {
    const asked = Math.min(wanted, search.max);
    const rows = select(store, { ...search, after }, asked);
    yield* rows;
    const last = rows[asked - 1];
    if (last === undefined) return;
    // From the item: libsql cuts a text column at its first zero character.
    after = positionOf(search, decodeRow(search, last));
  }
}

const indexOf = (table: TableSchema, input: JsonObject): IndexSchema | undefined => {
  const name = textInput(input, 'IndexName');
  if (name === undefined) return undefined;
  const index = table.indexes.find(each => each.name === name);
  if (index) return index;
  throw invalid(`The table does not have the specified index: ${name}`);
};

const readSearch = ({ tables }: DynamoDb, input: JsonObject): Search => {
  const max = integerInput(input, 'Limit') ?? Number.POSITIVE_INFINITY;
  if (max < 1) throw invalid('Limit must be greater than or equal to 1');
  const table = tables.of(input);
  const index = indexOf(table, input);
  const consistent = booleanInput(input, 'ConsistentRead') ?? false;
  if (consistent && index)
    throw invalid('Consistent reads are not supported on global secondary indexes');
  const start = mapOf(input, 'ExclusiveStartKey');
  return {
    table,
    index,
    max,
    consistent,
    counts: choice(input, 'Select', ['', 'COUNT']) === 'COUNT',
    forward: booleanInput(input, 'ScanIndexForward') ?? true,
    after: start && positionOf({ table, index }, readAttributes(start)),
  };
};

/** DynamoDB reads 1 MB for a page. */
const maxPageBytes = 1024 * 1024;

/** Reads items until the page is full. `LastEvaluatedKey` is set if it may not be the end. */
const readPage = ({ store }: DynamoDb, search: Search, input: JsonObject): JsonObject => {
  const { table, index, counts, consistent } = search;
  const capacity = new Capacity(input);
  const Items: Attributes[] = [];
  let Count = 0;
  let bytes = 0;
  let last: Attributes | undefined;
  for (const row of rowsOf(store, search)) {
    const whole = decodeRow(search, row);
    const item = index ? projectedByIndex(table, index, whole) : whole;
    bytes += item === whole ? row.size : itemBytes(item);
    Count += 1;
    if (!counts) Items.push(item);
    if (Count < search.max && bytes < maxPageBytes) continue;
    last = keyAttributes(table, index, whole);
    break;
  }
  capacity.add(table, readUnits(bytes, consistent));
  return {
    ...(!counts && { Items }),
    Count,
    ScannedCount: Count,
    ...(last && { LastEvaluatedKey: last }),
    ...capacity.ofOne(),
  };
};

export const query = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  const search = readSearch(dynamoDb, input);
  const placeholders = new Placeholders(input);
  const { key } = search.index ?? search.table;
  const range = placeholders.read('KeyConditionExpression', expression =>
    readKeyRange(expression, key),
  );
  placeholders.checkAllUsed();
  if (range === undefined)
    throw invalid('The KeyConditionExpression parameter must be specified in the request.');
  return readPage(dynamoDb, { ...search, range }, input);
};

export const scan = (dynamoDb: DynamoDb, input: JsonObject): JsonObject =>
  readPage(dynamoDb, readSearch(dynamoDb, input), input);
