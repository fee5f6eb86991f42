import type { JsonObject } from '../../json/value.ts';
import { booleanOf, listOf, objectOf } from '../aws-json/input.ts';
import { Capacity, readUnits } from './capacity.ts';
import type { DynamoDb } from './engine.ts';
import { keyText, requestedKey, type StoredKey, type TableSchema } from './keys.ts';
import { checkBatch, checkParameters, checkTableName, invalid, requiredMap, tableName } from './requests.ts';
import { type Attributes, readAttributes, requiredAttributes } from './values.ts';

const getParameters = ['TableName', 'Key', 'ConsistentRead', 'ReturnConsumedCapacity'];

export const getItem = ({ tables, items }: DynamoDb, input: JsonObject): JsonObject => {
  checkParameters('GetItem', input, getParameters);
  const name = tableName(input);
  const key = requiredAttributes(input, 'Key');
  const capacity = new Capacity(input);
  const table = tables.schema(name);
  const storedKey = requestedKey(table.key, key);
  const found = items.find(table, storedKey);
  capacity.add(table, readUnits(found?.size ?? 0, booleanOf(input, 'ConsistentRead') ?? false));
  return { ...(found ? { Item: found.attributes } : {}), ...capacity.ofOne() };
};

interface TableReads {
  readonly table: TableSchema;
  readonly keys: readonly { readonly key: StoredKey; readonly attributes: Attributes }[];
  readonly consistent: boolean;
}

const maxBatchKeys = 100;
const maxBatchBytes = 16 * 1024 * 1024;

const readTable = ({ tables }: DynamoDb, name: string, input: JsonObject): TableReads => {
  checkParameters('KeysAndAttributes', input, ['Keys', 'ConsistentRead']);
  checkTableName(name);
  const keys = (listOf(input, 'Keys') ?? []).map(key => readAttributes(key));
  const table = tables.schema(name);
  const requested = keys.map(attributes => ({ key: requestedKey(table.key, attributes), attributes }));
  if (new Set(requested.map(({ key }) => keyText(key))).size < keys.length)
    throw invalid('Provided list of item keys contains duplicates');
  return { table, keys: requested, consistent: booleanOf(input, 'ConsistentRead') ?? false };
};

/** Reads keys until the response would have more than 16 MB; the others are left unprocessed. */
class BatchRead {
  readonly responses: Record<string, Attributes[]> = {};
  readonly unprocessed: Record<string, JsonObject> = {};
  #bytes = 0;

  add(
    dynamoDb: DynamoDb,
    { table, keys, consistent }: TableReads,
    input: JsonObject,
    capacity: Capacity,
  ): void {
    const found: Attributes[] = [];
    const left: Attributes[] = [];
    this.responses[table.name] = found;
    for (const { key, attributes } of keys) {
      const item = this.#bytes > maxBatchBytes ? undefined : dynamoDb.items.find(table, key);
      this.#bytes += item?.size ?? 0;
      if (this.#bytes > maxBatchBytes) left.push(attributes);
      else {
        if (item) found.push(item.attributes);
        capacity.add(table, readUnits(item?.size ?? 0, consistent));
      }
    }
    if (left.length > 0) this.unprocessed[table.name] = structuredClone({ ...input, Keys: left });
  }
}

export const batchGetItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  checkParameters('BatchGetItem', input, ['RequestItems', 'ReturnConsumedCapacity']);
  const requests = requiredMap(input, 'RequestItems');
  const counts = Object.entries(requests).map(
    ([name, each]) => listOf(objectOf(each, name), 'Keys')?.length ?? 0,
  );
  checkBatch('BatchGetItem', counts, maxBatchKeys);
  const capacity = new Capacity(input);
  const batch = new BatchRead();
  const reads = Object.entries(requests).map(([name, each]) => {
    const request = objectOf(each, name);
    return { request, reads: readTable(dynamoDb, name, request) };
  });
  for (const { request, reads: each } of reads) batch.add(dynamoDb, each, request, capacity);
  return { Responses: batch.responses, UnprocessedKeys: batch.unprocessed, ...capacity.ofAll() };
};
