import { createHash } from 'node:crypto';
import type { JsonObject } from '../../json/value.ts';
import { AwsError, listOf, objectOf, textOf } from '../aws-json/input.ts';
import { Capacity, writeUnits } from './capacity.ts';
import type { DynamoDb } from './engine.ts';
import { dynamoDbError, invalid } from './errors.ts';
import type { ItemChange, StoredItem } from './items.ts';
import { keyText } from './reads.ts';
import { checkParameters, choice, missingMember } from './requests.ts';
import { bytesAsBase64 } from './values.ts';
import { onFailure, readDelete, readPut, readUpdate, type Write } from './writes.ts';

const maxWrites = 100;

/** One member of `TransactItems`. */
interface TransactWrite extends Write {
  readonly returnsItem: boolean;
  /** A ConditionCheck writes nothing. */
  readonly checksOnly: boolean;
}

const kinds = ['ConditionCheck', 'Put', 'Delete', 'Update'] as const;

const readKind = (dynamoDb: DynamoDb, kind: (typeof kinds)[number], input: JsonObject): Write => {
  if (kind === 'Put') return readPut(dynamoDb, input);
  if (kind === 'Update') {
    if (textOf(input, 'UpdateExpression') === undefined)
      throw missingMember('transactItems.member.update.updateExpression');
    return readUpdate(dynamoDb, input);
  }
  if (kind === 'ConditionCheck' && textOf(input, 'ConditionExpression') === undefined)
    throw missingMember('transactItems.member.conditionCheck.conditionExpression');
  return readDelete(dynamoDb, input);
};

const oneKind = (item: JsonObject): (typeof kinds)[number] => {
  checkParameters('TransactWriteItem', item, kinds);
  const [kind, ...others] = kinds.filter(each => (item[each] ?? undefined) !== undefined);
  if (kind !== undefined && others.length === 0) return kind;
  throw invalid('TransactItems can only contain one of Check, Put, Update or Delete');
};

const readWrite = (dynamoDb: DynamoDb, item: JsonObject): TransactWrite => {
  const kind = oneKind(item);
  const input = objectOf(item[kind], kind);
  return {
    ...readKind(dynamoDb, kind, input),
    returnsItem: choice(input, onFailure, ['NONE', 'ALL_OLD']) === 'ALL_OLD',
    checksOnly: kind === 'ConditionCheck',
  };
};

/** A member of `CancellationReasons`. */
type Reason = { readonly Code: string; readonly Message?: string; readonly Item?: unknown };

const noReason: Reason = { Code: 'None' };

/** Why a write cannot be done; undefined if it is refused for what it is, whatever is stored. */
const validationReason = (fault: unknown): Reason => {
  if (fault instanceof AwsError && fault.name === 'ValidationException')
    return { Code: 'ValidationError', Message: fault.message };
  throw fault;
};

const cancelled = (reasons: readonly Reason[]): AwsError => {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return dynamoDbError(
    'transactionCanceled',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons, Message: undefined },
  );
};

const conditionReason = (write: TransactWrite, before: StoredItem | undefined): Reason => ({
  Code: 'ConditionalCheckFailed',
  Message: 'The conditional request failed',
  ...(write.returnsItem && before ? { Item: before.attributes } : {}),
});

/** What one write does; a reason if it cannot. */
const planned = (dynamoDb: DynamoDb, write: TransactWrite): ItemChange | Reason => {
  const { table, key } = write;
  const before = dynamoDb.items.find(table, key);
  if (!write.allows(before)) return conditionReason(write, before);
  try {
    return { table, key, before, after: write.checksOnly ? before?.attributes : write.result(before) };
  } catch (fault) {
    return validationReason(fault);
  }
};

/** Every write is tried, so that each has its reason; a fault undoes all of them. */
const performAll = (dynamoDb: DynamoDb, writes: readonly TransactWrite[], capacity: Capacity): void => {
  const plans = writes.map(write => planned(dynamoDb, write));
  const reasons = plans.map((plan, at): Reason => {
    if ('Code' in plan) return plan;
    if (writes[at]?.checksOnly) return noReason;
    try {
      const size = dynamoDb.items.write(plan);
      capacity.add(plan.table, 2 * writeUnits(Math.max(size, plan.before?.size ?? 0)));
      return noReason;
    } catch (fault) {
      return validationReason(fault);
    }
  });
  if (reasons.some(reason => reason !== noReason)) throw cancelled(reasons);
};

const checkDistinct = (writes: readonly Write[]): void => {
  const keys = writes.map(({ table, key }) => `${table.id} ${keyText(key)}`);
  if (new Set(keys).size < keys.length)
    throw invalid('Transaction request cannot include multiple operations on one item');
};

const readItems = (input: JsonObject): readonly JsonObject[] => {
  const items = listOf(input, 'TransactItems');
  if (items === undefined) throw missingMember('transactItems');
  if (items.length === 0 || items.length > maxWrites)
    throw invalid(
      `1 validation error detected: Value '[${items.length} items]' at 'transactItems' failed to satisfy constraint: Member must have length ${items.length === 0 ? 'greater than or equal to 1' : 'less than or equal to 100'}`,
    );
  return items.map(item => objectOf(item, 'TransactItems'));
};

/** How long DynamoDB remembers a client's token. */
const tokenMilliseconds = 10 * 60_000;

const tokens = `
  CREATE TABLE IF NOT EXISTS dynamodb_tokens (
    token TEXT PRIMARY KEY,
    until INTEGER NOT NULL,
    request BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

export const defineTransactions = ({ store }: DynamoDb): void => store.define(tokens);

/** Whether a token's request has been done; remembers it otherwise. A different request with the token is refused. */
const isRepeated = ({ store, clock }: DynamoDb, token: string, request: JsonObject): boolean => {
  const digest = createHash('sha256')
    .update(JSON.stringify(request['TransactItems'], bytesAsBase64))
    .digest();
  store.sql('DELETE FROM dynamodb_tokens WHERE until <= ?').run(clock.now());
  const known = store
    .sql<{ request: Uint8Array }>('SELECT request FROM dynamodb_tokens WHERE token = ?')
    .get(token);
  if (known === undefined) {
    const until = clock.now() + tokenMilliseconds;
    store
      .sql('INSERT INTO dynamodb_tokens (token, until, request) VALUES (?, ?, ?)')
      .run(token, until, digest);
    return false;
  }
  if (Buffer.compare(known.request, digest) === 0) return true;
  throw dynamoDbError(
    'idempotentParameterMismatch',
    'Provided request has same ClientRequestToken but different parameters',
  );
};

const parameters = [
  'TransactItems',
  'ClientRequestToken',
  'ReturnConsumedCapacity',
  'ReturnItemCollectionMetrics',
];

export const transactWriteItems = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  checkParameters('TransactWriteItems', input, parameters);
  const token = textOf(input, 'ClientRequestToken');
  const capacity = new Capacity(input);
  const writes = readItems(input).map(item => readWrite(dynamoDb, item));
  checkDistinct(writes);
  dynamoDb.store.transaction(() => {
    if (token === undefined || !isRepeated(dynamoDb, token, input)) performAll(dynamoDb, writes, capacity);
  });
  return capacity.ofAll();
};
