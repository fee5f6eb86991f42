import type { JsonObject } from '../../json/value.ts';
import { booleanOf, mapOf, textOf } from '../aws-json/input.ts';
import { type BoundCondition, boundCondition, pathsIn } from './bound-conditions.ts';
import { Capacity, readUnits } from './capacity.ts';
import { itemBytes } from './compare.ts';
import type { DynamoDb } from './engine.ts';
import { invalid, invalidParameter } from './errors.ts';
import { conditionHolds } from './evaluate-condition.ts';
import { decodeItem } from './items.ts';
import { type KeyRange, keyRange, rangeHolds } from './key-conditions.ts';
import {
  checkKeyPaths,
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
import type { Path } from './paths.ts';
import { Placeholders } from './placeholders.ts';
import { projected, readProjection } from './reads.ts';
import { checkParameters, choice, positive, tableName } from './requests.ts';
import { type Attributes, readAttributes } from './values.ts';

/** DynamoDB reads 1 MB for a page. */
const maxPageBytes = 1024 * 1024;

const parameters = [
  'TableName',
  'IndexName',
  'FilterExpression',
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
  readonly filter: BoundCondition | undefined;
  readonly paths: readonly Path[] | undefined;
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

const selections = [
  '',
  'ALL_ATTRIBUTES',
  'ALL_PROJECTED_ATTRIBUTES',
  'SPECIFIC_ATTRIBUTES',
  'COUNT',
] as const;

const checkSelect = (input: JsonObject, index: IndexSchema | undefined): string => {
  const select = choice(input, 'Select', selections);
  const projects = (input['ProjectionExpression'] ?? undefined) !== undefined;
  if (projects && select !== '' && select !== 'SPECIFIC_ATTRIBUTES')
    throw invalid(
      `Cannot specify the ProjectionExpression when choosing to get ${select === 'COUNT' ? 'only the Count' : select}`,
    );
  if (select === 'SPECIFIC_ATTRIBUTES' && !projects)
    throw invalid(
      'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES',
    );
  if (select === 'ALL_PROJECTED_ATTRIBUTES' && !index)
    throw invalidParameter('ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName');
  if (select === 'ALL_ATTRIBUTES' && index && index.projected !== 'ALL')
    throw invalidParameter(
      `Select type ALL_ATTRIBUTES is not supported for global secondary index ${index.name} because its projection type is not ALL`,
    );
  return select;
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

/** Paths may only lead into what an index has. */
const checkProjected = ({
  table,
  index,
  filter,
  paths,
}: Pick<Search, 'table' | 'index' | 'filter' | 'paths'>): void => {
  if (!index || index.projected === 'ALL') return;
  const { name, key, projected: others } = index;
  const has = new Set([...[...keyParts(table.key), ...keyParts(key)].map(part => part.name), ...others]);
  const missing = (all: readonly Path[]): string => {
    const names = new Set(all.map(path => String(path[0])));
    return [...names].filter(each => !has.has(each)).join(', ');
  };
  const [unprojected, unfiltered] = [missing(paths ?? []), missing(filter ? pathsIn(filter) : [])];
  if (unprojected !== '')
    throw invalidParameter(`Global secondary index ${name} does not project [${unprojected}]`);
  if (unfiltered !== '')
    throw invalidParameter(
      `Secondary index ${name} does not project one or more filter attributes: [${unfiltered}]`,
    );
};

/** A filter of a query may not name the keys that its key condition is for. */
const checkFilter = (filter: BoundCondition, names: readonly string[]): void => {
  const name = pathsIn(filter)
    .map(path => String(path[0]))
    .find(first => names.includes(first));
  if (name !== undefined)
    throw invalid(
      `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`,
    );
};

const readFilter = (input: JsonObject, placeholders: Placeholders): BoundCondition | undefined => {
  const text = textOf(input, 'FilterExpression');
  return text === undefined ? undefined : boundCondition('FilterExpression', text, placeholders);
};

const readSearch = ({ tables }: DynamoDb, input: JsonObject, isQuery: boolean): Search => {
  const name = tableName(input);
  const placeholders = new Placeholders(input);
  const max = positive(input, 'Limit') ?? Number.POSITIVE_INFINITY;
  const table = tables.schema(name);
  const index = indexOf(table, input);
  const select = checkSelect(input, index);
  const consistent = booleanOf(input, 'ConsistentRead') ?? false;
  const schema = (index ?? table).key;
  const text = textOf(input, 'KeyConditionExpression');
  const filter = readFilter(input, placeholders);
  const range = text === undefined ? undefined : keyRange(schema, text, placeholders);
  const paths = readProjection(input, placeholders);
  placeholders.checkAllUsed({
    FilterExpression: input['FilterExpression'],
    ProjectionExpression: input['ProjectionExpression'],
    ...(isQuery ? { KeyConditionExpression: text } : {}),
  });
  checkKeyPaths(table, [...(filter ? pathsIn(filter) : []), ...(paths ?? [])]);
  if (isQuery && range === undefined)
    throw invalid(
      'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
    );
  if (filter && isQuery)
    checkFilter(
      filter,
      keyParts(schema).map(part => part.name),
    );
  checkProjected({ table, index, filter, paths });
  if (consistent && index) throw invalid('Consistent reads are not supported on global secondary indexes');
  return {
    table,
    index,
    range,
    filter,
    paths,
    counts: select === 'COUNT',
    consistent,
    max,
    forward: booleanOf(input, 'ScanIndexForward') ?? true,
    after: startOf({ table, index, range }, input),
  };
};

/** What a page has read. */
interface Page {
  readonly items: Attributes[];
  count: number;
  scanned: number;
  bytes: number;
  last?: Attributes;
}

/** Reads items until the page is full. `last` is set if it may not be the end. */
const readPage = (dynamoDb: DynamoDb, search: Search): Page => {
  const { table, index, filter, paths } = search;
  const page: Page = { items: [], count: 0, scanned: 0, bytes: 0 };
  const rows = new Pages(dynamoDb.store, search);
  for (let row = rows.next(); row !== undefined; row = rows.next()) {
    const whole = decodeItem(table, row);
    const item = index ? projectedByIndex(table, index, whole) : whole;
    page.bytes += index && index.projected !== 'ALL' ? itemBytes(item) : row.size;
    page.scanned += 1;
    if (!filter || conditionHolds(filter, item)) {
      page.count += 1;
      if (!search.counts) page.items.push(projected(item, paths));
    }
    if (page.scanned >= search.max || page.bytes >= maxPageBytes) {
      page.last = keyAttributes(table, index, whole);
      break;
    }
  }
  return page;
};

const answer = (dynamoDb: DynamoDb, search: Search, input: JsonObject): JsonObject => {
  const capacity = new Capacity(input);
  const page = readPage(dynamoDb, search);
  capacity.add(search.table, 0);
  capacity.add(search.table, readUnits(page.bytes, search.consistent), search.index);
  return {
    ...(search.counts ? {} : { Items: page.items }),
    Count: page.count,
    ScannedCount: page.scanned,
    ...(page.last ? { LastEvaluatedKey: page.last } : {}),
    ...capacity.ofOne(),
  };
};

export const query = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  checkParameters('Query', input, [...parameters, 'KeyConditionExpression', 'ScanIndexForward']);
  return answer(dynamoDb, readSearch(dynamoDb, input, true), input);
};

export const scan = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  checkParameters('Scan', input, parameters);
  return answer(dynamoDb, readSearch(dynamoDb, input, false), input);
};
