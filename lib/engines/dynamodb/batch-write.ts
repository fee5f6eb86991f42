import type { JsonObject } from '../../json/value.ts';
import { listOf, objectOf } from '../aws-json/input.ts';
import { Capacity } from './capacity.ts';
import type { DynamoDb } from './engine.ts';
import { sized } from './items.ts';
import { keyText } from './reads.ts';
import { checkParameters, checkTableName, invalid, requiredMap } from './requests.ts';
import { countUnits, readDelete, readPut, type Write, type WriteRequest } from './writes.ts';

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

const checkCount = (counts: readonly number[]): void => {
  if (counts.length === 0 || counts.includes(0))
    throw invalid(
      "1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
  if (counts.reduce((sum, count) => sum + count, 0) > maxWrites)
    throw invalid('Too many items requested for the BatchWriteItem call');
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
  checkCount(lists.map(([, requests]) => requests.length));
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
