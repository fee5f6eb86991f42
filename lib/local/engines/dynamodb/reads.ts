import type { JsonObject } from '../../../platform/json/value.ts';
import { booleanInput, listInput, objectInput } from '../aws-json/input.ts';
import { Capacity, readUnits } from './capacity.ts';
import type { DynamoDb } from './engine.ts';
import { keyText, requestedKey } from './keys.ts';
import { checkBatch, checkDistinct, checkParameters } from './requests.ts';
import { type Attributes, readAttributes } from './values.ts';

export const getOneItem = ({ tables, items }: DynamoDb, input: JsonObject): JsonObject => {
  const table = tables.of(input);
  const capacity = new Capacity(input);
  const found = items.find(table, requestedKey(table.key, readAttributes(input['Key'])));
  capacity.add(table, readUnits(found?.size ?? 0, booleanInput(input, 'ConsistentRead') ?? false));
  return { ...(found && { Item: found.attributes }), ...capacity.ofOne() };
};

const maxBatchKeys = 100;
const maxBatchBytes = 16 * 1024 * 1024;

const readRequest = ({ tables }: DynamoDb, TableName: string, request: JsonObject) => {
  checkParameters('KeysAndAttributes', request, ['Keys', 'ConsistentRead']);
  const table = tables.of({ TableName });
  const keys = (listInput(request, 'Keys') ?? []).map(given => {
    const attributes = readAttributes(given);
    return { attributes, key: requestedKey(table.key, attributes) };
  });
  checkDistinct(
    keys.map(({ key }) => keyText(key)),
    'Provided list of item keys contains duplicates',
  );
  return { table, keys, request, consistent: booleanInput(request, 'ConsistentRead') ?? false };
};

/** Reads keys until the response would have more than 16 MB; the others are left unprocessed. */
export const batchGetItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  const requests = Object.entries(objectInput(input['RequestItems'], 'RequestItems')).map(
    ([name, request]) => readRequest(dynamoDb, name, objectInput(request, name)),
  );
  checkBatch('BatchGetItem', requests.flatMap(({ keys }) => keys).length, maxBatchKeys);
  const capacity = new Capacity(input);
  const Responses: Record<string, Attributes[]> = {};
  const UnprocessedKeys: Record<string, JsonObject> = {};
  let bytes = 0;
  for (const { table, keys, request, consistent } of requests) {
    const [found, left]: [Attributes[], Attributes[]] = [[], []];
    for (const { attributes, key } of keys) {
      const item = bytes > maxBatchBytes ? undefined : dynamoDb.items.find(table, key);
      bytes += item?.size ?? 0;
      if (bytes > maxBatchBytes) left.push(attributes);
      else {
        if (item) found.push(item.attributes);
        capacity.add(table, readUnits(item?.size ?? 0, consistent));
      }
    }
    Responses[table.name] = found;
    if (left.length > 0) UnprocessedKeys[table.name] = structuredClone({ ...request, Keys: left });
  }
  return { Responses, UnprocessedKeys, ...capacity.ofAll() };
};
