import type { JsonObject } from '../../../platform/json/value.ts';
import { objectInput, objectsOf } from '../aws-json/input.ts';
import { Capacity, countUnits } from './capacity.ts';
import type { DynamoDb } from './engine.ts';
import { type StoredItem, sized } from './items.ts';
import { checkParameters, dynamoDbError, invalid } from './requests.ts';
import { itemBytes } from './values.ts';
import {
  checkOncePerItem,
  conditionalParameters,
  readDelete,
  readPut,
  readUpdateItem,
  type Write,
} from './writes.ts';

const maxWrites = 100;
const maxTransactionBytes = 4 * 1024 * 1024;

interface TransactWrite extends Write {
  readonly checksOnly: boolean;
}

const kinds: Readonly<
  Record<
    string,
    readonly [parameters: readonly string[], read: (dynamoDb: DynamoDb, input: JsonObject) => Write]
  >
> = {
  Put: [['Item'], readPut],
  Update: [['Key', 'UpdateExpression'], readUpdateItem],
  Delete: [['Key'], readDelete],
  ConditionCheck: [['Key'], readDelete],
};

const readWrite = (dynamoDb: DynamoDb, item: JsonObject): TransactWrite => {
  const [kind = '', ...others] = Object.keys(item);
  const known = kinds[kind];
  if (!known || others.length > 0)
    throw invalid('TransactItems can only contain one of Check, Put, Update or Delete');
  const [parameters, read] = known;
  const input = objectInput(item[kind], kind);
  checkParameters(kind, input, [...conditionalParameters, ...parameters]);
  return { ...read(dynamoDb, input), checksOnly: kind === 'ConditionCheck' };
};

/** Throws why a transaction is cancelled if the condition of one of its writes does not hold. */
const checkConditions = (
  writes: readonly TransactWrite[],
  found: readonly (StoredItem | undefined)[],
): void => {
  const reasons = writes.map(({ refusal }, at) => {
    const refused = refusal(found[at]);
    if (!refused) return { Code: 'None' };
    return {
      Code: 'ConditionalCheckFailed',
      Message: 'The conditional request failed',
      ...refused,
    };
  });
  const codes = reasons.map(({ Code }) => Code);
  if (codes.every(code => code === 'None')) return;
  const message =
    'Transaction cancelled, please refer cancellation reasons for specific reasons ' +
    `[${codes.join(', ')}]`;
  throw dynamoDbError('transactionCanceled', message, { CancellationReasons: reasons });
};

/**
 * A write that cannot be done, of whatever condition, refuses the request: it is a mistake in the
 * program.
 */
export const transactWriteItems = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  const { store, items } = dynamoDb;
  const capacity = new Capacity(input, 2);
  const writes = objectsOf(input, 'TransactItems').map(item => readWrite(dynamoDb, item));
  if (writes.length > maxWrites)
    throw invalid(`TransactItems must have length less than or equal to ${maxWrites}`);
  checkOncePerItem(writes, 'Transaction request cannot include multiple operations on one item');
  const found = writes.map(({ table, key }) => items.find(table, key));
  checkConditions(writes, found);
  const changes = writes.map(({ table, key, checksOnly, result }, at) => {
    const before = found[at];
    return {
      checksOnly,
      ...sized({ table, key, before, after: checksOnly ? before?.attributes : result(before) }),
    };
  });
  const bytes = changes.map(({ before, after }) =>
    after ? itemBytes(after) : (before?.size ?? 0),
  );
  if (bytes.reduce((sum, size) => sum + size, 0) > maxTransactionBytes)
    throw invalid(
      'Collection size limit exceeded: the items of a transaction may have at most 4 MB',
    );
  store.transaction(() => {
    for (const change of changes) if (!change.checksOnly) items.write(change);
  });
  for (const change of changes) countUnits(capacity, change);
  return capacity.ofAll();
};
