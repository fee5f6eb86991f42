import type { JsonObject } from '../../json/value.ts';
import { textOf } from '../aws-json/input.ts';
import { updatedItem } from './apply-update.ts';
import { boundCondition } from './bound-conditions.ts';
import { type BoundAction, boundUpdate } from './bound-updates.ts';
import { Capacity, writeUnits } from './capacity.ts';
import { itemBytes } from './compare.ts';
import type { DynamoDb } from './engine.ts';
import { dynamoDbError, invalidParameter } from './errors.ts';
import { conditionHolds } from './evaluate-condition.ts';
import type { ItemChange, StoredItem } from './items.ts';
import {
  checkIndexKeys,
  keyInIndex,
  keyOfItem,
  keyParts,
  projectedByIndex,
  requestedKey,
  type StoredKey,
  sameKey,
  type TableSchema,
} from './keys.ts';
import { projectedItem } from './paths.ts';
import { Placeholders } from './placeholders.ts';
import { checkParameters, choice, requiredAttributes, tableName } from './requests.ts';
import { type Attributes, copyAttributes } from './values.ts';

/** A write of one item that has been read from a request, but not yet tried. */
export interface Write {
  readonly table: TableSchema;
  readonly key: StoredKey;
  /** Whether its condition holds for what is stored. */
  allows(before: StoredItem | undefined): boolean;
  /** The item after the write; undefined when there is none. */
  result(before: StoredItem | undefined): Attributes | undefined;
  /** The paths that an update names. */
  readonly changed?: readonly BoundAction[];
}

const common = ['TableName', 'ConditionExpression', 'ExpressionAttributeNames', 'ExpressionAttributeValues'];

export const onFailure = 'ReturnValuesOnConditionCheckFailure';

const nothing: Attributes = {};

/** The condition of a write as a function. */
const readCondition = (input: JsonObject, placeholders: Placeholders): Write['allows'] => {
  const text = textOf(input, 'ConditionExpression');
  if (text === undefined) return () => true;
  const condition = boundCondition('ConditionExpression', text, placeholders);
  return before => conditionHolds(condition, before?.attributes ?? nothing);
};

const expressions = ({ ConditionExpression }: JsonObject) => ({ ConditionExpression });

export const readPut = ({ tables }: DynamoDb, input: JsonObject): Write => {
  checkParameters('PutItem', input, [...common, 'Item', onFailure]);
  const name = tableName(input);
  const item = requiredAttributes(input, 'Item');
  const placeholders = new Placeholders(input);
  const allows = readCondition(input, placeholders);
  placeholders.checkAllUsed(expressions(input));
  const table = tables.schema(name);
  const key = keyOfItem(table.key, item);
  checkIndexKeys(table, item);
  return { table, key, allows, result: () => item };
};

export const readDelete = ({ tables }: DynamoDb, input: JsonObject): Write => {
  checkParameters('DeleteItem', input, [...common, 'Key', onFailure]);
  const name = tableName(input);
  const key = requiredAttributes(input, 'Key');
  const placeholders = new Placeholders(input);
  const allows = readCondition(input, placeholders);
  placeholders.checkAllUsed(expressions(input));
  const table = tables.schema(name);
  return { table, key: requestedKey(table.key, key), allows, result: () => undefined };
};

const checkKeyUnchanged = ({ key }: TableSchema, actions: readonly BoundAction[]): void => {
  const part = keyParts(key).find(({ name }) => actions.some(({ path }) => path[0] === name));
  if (part !== undefined)
    throw invalidParameter(`Cannot update attribute ${part.name}. This attribute is part of the key`);
};

export const readUpdate = ({ tables }: DynamoDb, input: JsonObject): Write => {
  checkParameters('UpdateItem', input, [...common, 'Key', 'UpdateExpression', onFailure]);
  const name = tableName(input);
  const key = requiredAttributes(input, 'Key');
  const placeholders = new Placeholders(input);
  const text = textOf(input, 'UpdateExpression');
  const actions = text === undefined ? [] : boundUpdate(text, placeholders);
  const allows = readCondition(input, placeholders);
  placeholders.checkAllUsed({ UpdateExpression: text, ...expressions(input) });
  const table = tables.schema(name);
  const storedKey = requestedKey(table.key, key);
  checkKeyUnchanged(table, actions);
  return {
    table,
    key: storedKey,
    allows,
    result(before) {
      const after = updatedItem(before?.attributes ?? key, actions);
      checkIndexKeys(table, after);
      return after;
    },
    changed: actions,
  };
};

/** Counts the units of a write: the larger of the two versions, and each entry of an index that changed. */
const countUnits = (capacity: Capacity, { table, before, after }: ItemChange, size: number): void => {
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
    if (total > 0) capacity.add(table, total, index);
  }
};

const sameProjection = (
  table: TableSchema,
  index: TableSchema['indexes'][number],
  ...versions: readonly (Attributes | undefined)[]
): boolean => {
  const [before, after] = versions.map(item => JSON.stringify(item && projectedByIndex(table, index, item)));
  return before === after;
};

const performWrite = (dynamoDb: DynamoDb, input: JsonObject, write: Write) => {
  const capacity = new Capacity(input);
  const failure = choice(input, onFailure, ['NONE', 'ALL_OLD']);
  const change = dynamoDb.store.transaction(() => {
    const before = dynamoDb.items.find(write.table, write.key);
    if (!write.allows(before)) {
      const item = failure === 'ALL_OLD' && before ? { Item: before.attributes } : {};
      throw dynamoDbError('conditionalCheckFailed', 'The conditional request failed', item);
    }
    const done = { table: write.table, key: write.key, before, after: write.result(before) };
    countUnits(capacity, done, dynamoDb.items.write(done));
    return done;
  });
  return { change, capacity };
};

const oldAttributes = (before: StoredItem | undefined): JsonObject =>
  before ? { Attributes: before.attributes } : {};

const only = ['ReturnValues', 'ReturnConsumedCapacity', 'ReturnItemCollectionMetrics'];

const withoutOnly = (input: JsonObject): JsonObject => {
  choice(input, 'ReturnItemCollectionMetrics', ['NONE', 'SIZE']);
  return Object.fromEntries(Object.entries(input).filter(([name]) => !only.includes(name)));
};

export const putItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  const returned = choice(input, 'ReturnValues', ['NONE', 'ALL_OLD']);
  const { change, capacity } = performWrite(dynamoDb, input, readPut(dynamoDb, withoutOnly(input)));
  return { ...(returned === 'ALL_OLD' ? oldAttributes(change.before) : {}), ...capacity.ofOne() };
};

export const deleteItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  const returned = choice(input, 'ReturnValues', ['NONE', 'ALL_OLD']);
  const { change, capacity } = performWrite(dynamoDb, input, readDelete(dynamoDb, withoutOnly(input)));
  return { ...(returned === 'ALL_OLD' ? oldAttributes(change.before) : {}), ...capacity.ofOne() };
};

/** Copied: an updated item has parts of the request. */
const returnedAttributes = (returned: string, write: Write, { before, after }: ItemChange): JsonObject => {
  if (returned === 'NONE') return {};
  const item = returned.endsWith('_OLD') ? before?.attributes : after;
  if (item === undefined) return {};
  if (returned.startsWith('ALL_')) return { Attributes: copyAttributes(item) };
  const Attributes = projectedItem(
    item,
    (write.changed ?? []).map(({ path }) => path),
  );
  return Object.keys(Attributes).length > 0 ? { Attributes: copyAttributes(Attributes) } : {};
};

export const updateItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  const returned = choice(input, 'ReturnValues', [
    'NONE',
    'ALL_OLD',
    'UPDATED_OLD',
    'ALL_NEW',
    'UPDATED_NEW',
  ]);
  const write = readUpdate(dynamoDb, withoutOnly(input));
  const { change, capacity } = performWrite(dynamoDb, input, write);
  return { ...returnedAttributes(returned, write, change), ...capacity.ofOne() };
};
