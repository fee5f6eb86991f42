import type { JsonObject } from '../../json/value.ts';
import { booleanOf, listOf, objectOf, textOf } from '../aws-json/input.ts';
import { Capacity, readUnits } from './capacity.ts';
import type { DynamoDb } from './engine.ts';
import { pick, requestedKey, type StoredKey, type TableSchema } from './keys.ts';
import { Placeholders } from './placeholders.ts';
import { checkParameters, checkTableName, invalid, requiredMap, tableName } from './requests.ts';
import { invalidExpression, parseProjection } from './tokens.ts';
import { type Attributes, readAttributes, requiredAttributes } from './values.ts';

const kind = 'ProjectionExpression';

/** The attributes that a request projects; undefined for whole items. */
export const readProjection = (
  input: JsonObject,
  placeholders: Placeholders,
): readonly string[] | undefined => {
  const text = textOf(input, kind);
  if (text === undefined) return undefined;
  const names = parseProjection(text).map(name => placeholders.attribute(kind, name));
  if (new Set(names).size === names.length) return names;
  throw invalidExpression(kind, 'Two document paths overlap with each other');
};

export const projected = (item: Attributes, names: readonly string[] | undefined): Attributes =>
  names ? pick(item, names) : item;

const getParameters = [
  'TableName',
  'Key',
  'ConsistentRead',
  'ProjectionExpression',
  'ExpressionAttributeNames',
  'ReturnConsumedCapacity',
];

export const getItem = ({ tables, items }: DynamoDb, input: JsonObject): JsonObject => {
  checkParameters('GetItem', input, getParameters);
  const name = tableName(input);
  const key = requiredAttributes(input, 'Key');
  const capacity = new Capacity(input);
  const placeholders = new Placeholders(input);
  const names = readProjection(input, placeholders);
  placeholders.checkAllUsed({ ProjectionExpression: input[kind] });
  const table = tables.schema(name);
  const storedKey = requestedKey(table.key, key);
  const found = items.find(table, storedKey);
  capacity.add(table, readUnits(found?.size ?? 0, booleanOf(input, 'ConsistentRead') ?? false));
  return { ...(found ? { Item: projected(found.attributes, names) } : {}), ...capacity.ofOne() };
};

/** The part of a BatchGetItem that reads one table. */
interface TableReads {
  readonly table: TableSchema;
  readonly keys: readonly { readonly key: StoredKey; readonly attributes: Attributes }[];
  readonly names: readonly string[] | undefined;
  readonly consistent: boolean;
}

const maxBatchKeys = 100;
const maxBatchBytes = 16 * 1024 * 1024;

const readsParameters = ['Keys', 'ConsistentRead', 'ProjectionExpression', 'ExpressionAttributeNames'];

const readTable = ({ tables }: DynamoDb, name: string, input: JsonObject): TableReads => {
  checkParameters('KeysAndAttributes', input, readsParameters);
  checkTableName(name);
  const keys = (listOf(input, 'Keys') ?? []).map(key => readAttributes(key));
  const placeholders = new Placeholders(input);
  const names = readProjection(input, placeholders);
  placeholders.checkAllUsed({ ProjectionExpression: input[kind] });
  const table = tables.schema(name);
  const requested = keys.map(attributes => ({ key: requestedKey(table.key, attributes), attributes }));
  if (new Set(requested.map(({ key }) => keyText(key))).size < keys.length)
    throw invalid('Provided list of item keys contains duplicates');
  return { table, keys: requested, names, consistent: booleanOf(input, 'ConsistentRead') ?? false };
};

/** A text that only equal keys have in common. */
export const keyText = (key: StoredKey): string =>
  JSON.stringify(key.map(part => (typeof part === 'string' ? part : [Buffer.from(part).toString('base64')])));

const checkCount = (requests: JsonObject): void => {
  const counts = Object.entries(requests).map(
    ([name, each]) => listOf(objectOf(each, name), 'Keys')?.length ?? 0,
  );
  const count = counts.reduce((sum, keys) => sum + keys, 0);
  if (counts.length === 0 || counts.includes(0))
    throw invalid(
      "1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
  if (count > maxBatchKeys) throw invalid('Too many items requested for the BatchGetItem call');
};

/** Reads keys until the response would have more than 16 MB; the others are left unprocessed. */
class BatchRead {
  readonly responses: Record<string, Attributes[]> = {};
  readonly unprocessed: Record<string, JsonObject> = {};
  #bytes = 0;

  add(
    dynamoDb: DynamoDb,
    { table, keys, names, consistent }: TableReads,
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
        if (item) found.push(projected(item.attributes, names));
        capacity.add(table, readUnits(item?.size ?? 0, consistent));
      }
    }
    if (left.length > 0) this.unprocessed[table.name] = structuredClone({ ...input, Keys: left });
  }
}

export const batchGetItem = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  checkParameters('BatchGetItem', input, ['RequestItems', 'ReturnConsumedCapacity']);
  const requests = requiredMap(input, 'RequestItems');
  checkCount(requests);
  const capacity = new Capacity(input);
  const batch = new BatchRead();
  const reads = Object.entries(requests).map(([name, each]) => {
    const request = objectOf(each, name);
    return { request, reads: readTable(dynamoDb, name, request) };
  });
  for (const { request, reads: each } of reads) batch.add(dynamoDb, each, request, capacity);
  return { Responses: batch.responses, UnprocessedKeys: batch.unprocessed, ...capacity.ofAll() };
};
