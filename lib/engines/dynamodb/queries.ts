import type { JsonObject } from '../../json/value.ts';
import { booleanOf, mapOf, textOf } from '../aws-json/input.ts';
import { Capacity, readUnits } from './capacity.ts';
import { itemBytes } from './compare.ts';
import type { DynamoDb } from './engine.ts';
import { decodeItem } from './items.ts';
import { type KeyRange, keyRange, rangeHolds } from './key-conditions.ts';
import {
  type IndexSchema,
  type KeySchema,
  keyAttributes,
  keyParts,
  pick,
  projectedByIndex,
  requestedKey,
  type StoredKey,
  type TableSchema,
} from './keys.ts';
import { Pages, type Position } from './pages.ts';
import { Placeholders } from './placeholders.ts';
import { projected, readProjection } from './reads.ts';
import { checkParameters, choice, invalid, invalidParameter, positive, tableName } from './requests.ts';
import { type Attributes, readAttributes } from './values.ts';

/** DynamoDB reads 1 MB for a page. */
const maxPageBytes = 1024 * 1024;

const parameters = [
  'TableName',
  'IndexName',
  'ProjectionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ConsistentRead',
  'ExclusiveStartKey',
  'Limit',
  'ReturnConsumedCapacity',
  'Select',
];

/** A query or a scan that has been read from its request. */
interface Search {
  readonly table: TableSchema;
  readonly index: IndexSchema | undefined;
  readonly range: KeyRange | undefined;
  readonly names: readonly string[] | undefined;
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

/** Where a page begins: after the item with these keys, which need not exist any more. */
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

const checkProjected = ({ table, index, names }: Pick<Search, 'table' | 'index' | 'names'>): void => {
  if (!index || index.projected === 'ALL') return;
  const has = [...keyParts(table.key), ...keyParts(index.key)].map(({ name }) => name);
  const missing = names?.filter(name => !has.includes(name)) ?? [];
  if (missing.length > 0)
    throw invalidParameter(`Global secondary index ${index.name} does not project [${missing.join(', ')}]`);
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
  const names = readProjection(input, placeholders);
  placeholders.checkAllUsed({
    ProjectionExpression: input['ProjectionExpression'],
    ...(isQuery ? { KeyConditionExpression: text } : {}),
  });
  if (isQuery && range === undefined)
    throw invalid(
      'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
    );
  if (counts && names)
    throw invalid('Cannot specify the ProjectionExpression when choosing to get only the Count');
  checkProjected({ table, index, names });
  if (consistent && index) throw invalid('Consistent reads are not supported on global secondary indexes');
  return {
    table,
    index,
    range,
    names,
    counts,
    consistent,
    max,
    forward: booleanOf(input, 'ScanIndexForward') ?? true,
    after: startOf({ table, index, range }, input),
  };
};

/** What a page has read. */
interface Page {
  readonly items: Attributes[];
  scanned: number;
  bytes: number;
  last?: Attributes;
}

/** Reads items until the page is full. `last` is set if it may not be the end. */
const readPage = (dynamoDb: DynamoDb, search: Search): Page => {
  const { table, index, names } = search;
  const page: Page = { items: [], scanned: 0, bytes: 0 };
  const rows = new Pages(dynamoDb.store, search);
  for (let row = rows.next(); row !== undefined; row = rows.next()) {
    const whole = decodeItem(table, row);
    const item = index ? projectedByIndex(table, index, whole) : whole;
    page.bytes += index && index.projected !== 'ALL' ? itemBytes(item) : row.size;
    page.scanned += 1;
    if (!search.counts) page.items.push(projected(item, names));
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
