import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../json/value.ts';
import { listOf, objectOf, textOf } from '../aws-json/input.ts';
import { Capacity, writeUnits } from './capacity.ts';
import { itemBytes } from './compare.ts';
import { type BoundCondition, boundCondition, conditionHolds } from './conditions.ts';
import type { DynamoDb } from './engine.ts';
import { type SizedChange, type StoredItem, sized } from './items.ts';
import {
  checkIndexKeys,
  keyInIndex,
  keyOfItem,
  keyParts,
  keyText,
  projectedByIndex,
  requestedKey,
  type StoredKey,
  sameKey,
  type TableSchema,
} from './keys.ts';
import { Placeholders } from './placeholders.ts';
import {
  checkBatch,
  checkParameters,
  checkTableName,
  choice,
  dynamoDbError,
  invalid,
  invalidParameter,
  requiredMap,
  tableName,
} from './requests.ts';
import { type BoundAction, boundUpdate, updatedItem } from './updates.ts';
import { type Attributes, requiredAttributes } from './values.ts';

export interface Write {
  readonly table: TableSchema;
  readonly key: StoredKey;
  allows(before: StoredItem | undefined): boolean;
  result(before: StoredItem | undefined): Attributes | undefined;
}

export interface WriteRequest {
  readonly table: TableSchema;
  prepare(): Write;
}

const common = ['TableName', 'ConditionExpression', 'ExpressionAttributeNames', 'ExpressionAttributeValues'];

export const onFailure = 'ReturnValuesOnConditionCheckFailure';

const nothing: Attributes = {};

const readCondition = (input: JsonObject, placeholders: Placeholders): BoundCondition | undefined => {
  const text = textOf(input, 'ConditionExpression');
  return text === undefined ? undefined : boundCondition('ConditionExpression', text, placeholders);
};

const allowing =
  (condition: BoundCondition | undefined): Write['allows'] =>
  before =>
    condition === undefined || conditionHolds(condition, before?.attributes ?? nothing);

const expressions = ({ ConditionExpression }: JsonObject) => ({ ConditionExpression });

const readConditional = (
  { tables }: DynamoDb,
  input: JsonObject,
  [operation, member]: readonly ['PutItem', 'Item'] | readonly ['DeleteItem', 'Key'],
) => {
  checkParameters(operation, input, [...common, member, onFailure]);
  const name = tableName(input);
  const attributes = requiredAttributes(input, member);
  const placeholders = new Placeholders(input);
  const condition = readCondition(input, placeholders);
  placeholders.checkAllUsed(expressions(input));
  return { table: tables.schema(name), attributes, condition };
};

export const readPut = (dynamoDb: DynamoDb, input: JsonObject): WriteRequest => {
  const { table, attributes: item, condition } = readConditional(dynamoDb, input, ['PutItem', 'Item']);
  return {
    table,
    prepare() {
      const key = keyOfItem(table.key, item);
      checkIndexKeys(table, item);
      return { table, key, allows: allowing(condition), result: () => item };
    },
  };
};

export const readDelete = (dynamoDb: DynamoDb, input: JsonObject): WriteRequest => {
  const { table, attributes, condition } = readConditional(dynamoDb, input, ['DeleteItem', 'Key']);
  return {
    table,
    prepare() {
      const key = requestedKey(table.key, attributes);
      return { table, key, allows: allowing(condition), result: () => undefined };
    },
  };
};

const checkKeyUnchanged = ({ key }: TableSchema, actions: readonly BoundAction[]): void => {
  const part = keyParts(key).find(({ name }) => actions.some(({ attribute }) => attribute === name));
  if (part !== undefined)
    throw invalidParameter(`Cannot update attribute ${part.name}. This attribute is part of the key`);
};

export const readUpdate = ({ tables }: DynamoDb, input: JsonObject): WriteRequest => {
  checkParameters('UpdateItem', input, [...common, 'Key', 'UpdateExpression', onFailure]);
  const name = tableName(input);
  const attributes = requiredAttributes(input, 'Key');
  const placeholders = new Placeholders(input);
  const text = textOf(input, 'UpdateExpression');
  const actions = text === undefined ? [] : boundUpdate(text, placeholders);
  const condition = readCondition(input, placeholders);
  placeholders.checkAllUsed({ UpdateExpression: text, ...expressions(input) });
  const table = tables.schema(name);
  const result: Write['result'] = before => {
    const after = updatedItem(before?.attributes ?? attributes, actions);
    checkIndexKeys(table, after);
    return after;
  };
  return {
    table,
    prepare() {
      const key = requestedKey(table.key, attributes);
      checkKeyUnchanged(table, actions);
      return { table, key, allows: allowing(condition), result };
    },
  };
};

/** Counts the units of a write: the larger of the two versions, and each entry of an index that changed. */
export const countUnits = (capacity: Capacity, { table, before, after, size }: SizedChange): void => {
  if (!capacity.wanted) return;
  capacity.add(table, writeUnits(Math.max(before?.size ?? 0, size)));
  for (const index of table.indexes) {
    const [from, to] = [before?.attributes, after].map(item => item && keyInIndex(index, item));
    const sizes = [before?.attributes, after].map(item =>
      item ? writeUnits(itemBytes(projectedByIndex(table, index, item))) : 0,
    );
    const units = [from ? sizes[0] : 0, to ? sizes[1] : 0].map(unit => unit ?? 0);
    const same = sameKey(from, to);
    if (from && to && same && sameProjection(table, index, before?.attributes, after)) continue;
    const total = same ? Math.max(...units) : units.reduce((sum, unit) => sum + unit, 0);
    if (total > 0) capacity.add(table, total);
  }
};

const sameProjection = (
  table: TableSchema,
  index: TableSchema['indexes'][number],
  ...versions: readonly (Attributes | undefined)[]
): boolean => {
  const [before, after] = versions.map(item => item && projectedByIndex(table, index, item));
  return isDeepStrictEqual(before, after);
};

const performWrite = (dynamoDb: DynamoDb, input: JsonObject, request: WriteRequest) => {
  const write = request.prepare();
  const capacity = new Capacity(input);
  const failure = choice(input, onFailure, ['NONE', 'ALL_OLD']);
  const { table, key } = write;
  const before = dynamoDb.items.find(table, key);
  if (!write.allows(before)) {
    const item = failure === 'ALL_OLD' && before ? { Item: before.attributes } : {};
    throw dynamoDbError('conditionalCheckFailed', 'The conditional request failed', item);
  }
  const change = sized({ table, key, before, after: write.result(before) });
  dynamoDb.store.transaction(() => dynamoDb.items.write(change));
  countUnits(capacity, change);
  return { change, capacity };
};

const only = ['ReturnValues', 'ReturnConsumedCapacity'];

const withoutOnly = (input: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !only.includes(name)));

export const putItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  choice(input, 'ReturnValues', ['NONE']);
  const { capacity } = performWrite(dynamoDb, input, readPut(dynamoDb, withoutOnly(input)));
  return capacity.ofOne();
};

export const deleteItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  choice(input, 'ReturnValues', ['NONE']);
  const { capacity } = performWrite(dynamoDb, input, readDelete(dynamoDb, withoutOnly(input)));
  return capacity.ofOne();
};

export const updateItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  const returned = choice(input, 'ReturnValues', ['NONE', 'ALL_NEW']);
  const { change, capacity } = performWrite(dynamoDb, input, readUpdate(dynamoDb, withoutOnly(input)));
  const Attributes = returned === 'ALL_NEW' && change.after;
  return { ...(Attributes && { Attributes }), ...capacity.ofOne() };
};

const maxWrites = 25;

const readRequest = (dynamoDb: DynamoDb, TableName: string, request: JsonObject): WriteRequest => {
  checkParameters('WriteRequest', request, ['PutRequest', 'DeleteRequest']);
  const [put, remove] = ['PutRequest', 'DeleteRequest'].map(name => request[name] ?? undefined);
  if ((put === undefined) === (remove === undefined))
    throw invalid('Supplied WriteRequest must contain exactly one of PutRequest and DeleteRequest');
  if (put !== undefined) {
    const input = objectOf(put, 'PutRequest');
    checkParameters('PutRequest', input, ['Item']);
    return readPut(dynamoDb, { TableName, ...input });
  }
  const input = objectOf(remove, 'DeleteRequest');
  checkParameters('DeleteRequest', input, ['Key']);
  return readDelete(dynamoDb, { TableName, ...input });
};

const checkDistinct = (writes: readonly Write[]): void => {
  const keys = writes.map(({ table, key }) => `${table.id} ${keyText(key)}`);
  if (new Set(keys).size < keys.length) throw invalid('Provided list of item keys contains duplicates');
};

/** Writes every item, or none if the request is refused: nothing is ever left unprocessed. */
export const batchWriteItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  checkParameters('BatchWriteItem', input, ['RequestItems', 'ReturnConsumedCapacity']);
  const lists = Object.entries(requiredMap(input, 'RequestItems')).map(
    ([name, requests]) => [name, listOf({ [name]: requests }, name) ?? []] as const,
  );
  checkBatch(
    'BatchWriteItem',
    lists.map(([, requests]) => requests.length),
    maxWrites,
  );
  const capacity = new Capacity(input);
  const requests = lists.flatMap(([name, each]) => {
    checkTableName(name);
    return each.map(request => readRequest(dynamoDb, name, objectOf(request, name)));
  });
  const writes = requests.map(request => request.prepare());
  checkDistinct(writes);
  const changes = writes.map(({ table, key, result }) => {
    const before = dynamoDb.items.find(table, key);
    return sized({ table, key, before, after: result(before) });
  });
  dynamoDb.store.transaction(() => {
    for (const change of changes) dynamoDb.items.write(change);
  });
  for (const change of changes) countUnits(capacity, change);
  return { UnprocessedItems: {}, ...capacity.ofAll() };
};
