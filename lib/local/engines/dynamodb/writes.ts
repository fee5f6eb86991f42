import type { JsonObject } from '../../../platform/json/value.ts';
import { objectInput, objectsOf } from '../aws-json/input.ts';
import { Capacity, countUnits } from './capacity.ts';
import { readCondition } from './conditions.ts';
import type { DynamoDb } from './engine.ts';
import { Placeholders } from './expression.ts';
import { type StoredItem, sized } from './items.ts';
import {
  checkIndexKeys,
  keyNames,
  keyOfItem,
  keyText,
  requestedKey,
  type StoredKey,
  type TableSchema,
} from './keys.ts';
import {
  checkBatch,
  checkDistinct,
  checkParameters,
  choice,
  dynamoDbError,
  invalid,
} from './requests.ts';
import { applyUpdates, readUpdate } from './updates.ts';
import { type Attributes, readAttributes } from './values.ts';

/** A request to write one item, checked. */
export interface Write {
  readonly table: TableSchema;
  readonly key: StoredKey;
  /** What the error has of an item that does not fulfil the condition; undefined if it does. */
  refusal(before: StoredItem | undefined): JsonObject | undefined;
  /** @throws AwsError if the update does not fit the item */
  result(before: StoredItem | undefined): Attributes | undefined;
}

const onFailure = 'ReturnValuesOnConditionCheckFailure';

export const conditionalParameters = [
  'TableName',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  onFailure,
];

const readConditional = ({ tables }: DynamoDb, input: JsonObject) => {
  const placeholders = new Placeholders(input);
  const condition = placeholders.read('ConditionExpression', readCondition);
  const returnsItem = choice(input, onFailure, ['NONE', 'ALL_OLD']) === 'ALL_OLD';
  const refusal: Write['refusal'] = before => {
    if (!condition || condition(before?.attributes ?? {})) return undefined;
    if (returnsItem && before) return { Item: before.attributes };
    return {};
  };
  return { table: tables.of(input), placeholders, refusal };
};

export const readPut = (dynamoDb: DynamoDb, input: JsonObject): Write => {
  const { table, placeholders, refusal } = readConditional(dynamoDb, input);
  placeholders.checkAllUsed();
  const item = readAttributes(input['Item']);
  const key = keyOfItem(table.key, item);
  checkIndexKeys(table, item);
  return { table, key, refusal, result: () => item };
};

export const readDelete = (dynamoDb: DynamoDb, input: JsonObject): Write => {
  const { table, placeholders, refusal } = readConditional(dynamoDb, input);
  placeholders.checkAllUsed();
  const key = requestedKey(table.key, readAttributes(input['Key']));
  return { table, key, refusal, result: () => undefined };
};

export const readUpdateItem = (dynamoDb: DynamoDb, input: JsonObject): Write => {
  const { table, placeholders, refusal } = readConditional(dynamoDb, input);
  const actions = placeholders.read('UpdateExpression', readUpdate) ?? [];
  placeholders.checkAllUsed();
  const attributes = readAttributes(input['Key']);
  const key = requestedKey(table.key, attributes);
  const changed = keyNames(table.key).find(name =>
    actions.some(({ attribute }) => attribute === name),
  );
  if (changed !== undefined)
    throw invalid(`Cannot update attribute ${changed}. This attribute is part of the key`);
  const result: Write['result'] = before => {
    const after = applyUpdates(before?.attributes ?? attributes, actions);
    checkIndexKeys(table, after);
    return after;
  };
  return { table, key, refusal, result };
};

const performWrite = (
  { store, items }: DynamoDb,
  input: JsonObject,
  { table, key, refusal, result }: Write,
) => {
  const capacity = new Capacity(input);
  const before = items.find(table, key);
  const refused = refusal(before);
  if (refused)
    throw dynamoDbError('conditionalCheckFailed', 'The conditional request failed', refused);
  const change = sized({ table, key, before, after: result(before) });
  store.transaction(() => items.write(change));
  countUnits(capacity, change);
  return { after: change.after, units: capacity.ofOne() };
};

export const putOneItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject =>
  performWrite(dynamoDb, input, readPut(dynamoDb, input)).units;

export const deleteOneItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject =>
  performWrite(dynamoDb, input, readDelete(dynamoDb, input)).units;

export const updateOneItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  const returned = choice(input, 'ReturnValues', ['NONE', 'ALL_NEW']);
  const { after, units } = performWrite(dynamoDb, input, readUpdateItem(dynamoDb, input));
  return { ...(returned === 'ALL_NEW' && { Attributes: after }), ...units };
};

const maxWrites = 25;

const readRequest = (dynamoDb: DynamoDb, TableName: string, request: JsonObject): Write => {
  checkParameters('WriteRequest', request, ['PutRequest']);
  const input = objectInput(request['PutRequest'], 'PutRequest');
  checkParameters('PutRequest', input, ['Item']);
  return readPut(dynamoDb, { TableName, ...input });
};

export const checkOncePerItem = (writes: readonly Write[], message: string): void =>
  checkDistinct(
    writes.map(({ table, key }) => `${table.id} ${keyText(key)}`),
    message,
  );

/** Writes every item, or none if the request is refused: nothing is ever left unprocessed. */
export const batchWriteItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  const { store, items } = dynamoDb;
  const requests = objectInput(input['RequestItems'], 'RequestItems');
  const writes = Object.keys(requests).flatMap(name =>
    objectsOf(requests, name).map(request => readRequest(dynamoDb, name, request)),
  );
  checkBatch('BatchWriteItem', writes.length, maxWrites);
  checkOncePerItem(writes, 'Provided list of item keys contains duplicates');
  const capacity = new Capacity(input);
  const changes = writes.map(({ table, key, result }) => {
    const before = items.find(table, key);
    return sized({ table, key, before, after: result(before) });
  });
  store.transaction(() => {
    for (const change of changes) items.write(change);
  });
  for (const change of changes) countUnits(capacity, change);
  return { UnprocessedItems: {}, ...capacity.ofAll() };
};
