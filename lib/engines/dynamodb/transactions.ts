import type { JsonObject } from '../../json/value.ts';
import { AwsError, listOf, objectOf, textOf } from '../aws-json/input.ts';
import { Capacity, writeUnits } from './capacity.ts';
import { itemBytes } from './compare.ts';
import type { DynamoDb } from './engine.ts';
import { type ItemChange, type SizedChange, type StoredItem, sized } from './items.ts';
import { keyText } from './keys.ts';
import { checkParameters, choice, dynamoDbError, invalid, missingMember } from './requests.ts';
import {
  countUnits,
  onFailure,
  readDelete,
  readPut,
  readUpdate,
  type Write,
  type WriteRequest,
} from './writes.ts';

const maxWrites = 100;
const maxTransactionBytes = 4 * 1024 * 1024;

interface TransactRequest extends WriteRequest {
  readonly returnsItem: boolean;
  readonly checksOnly: boolean;
}

const kinds = ['ConditionCheck', 'Put', 'Delete', 'Update'] as const;

const readKind = (dynamoDb: DynamoDb, kind: (typeof kinds)[number], input: JsonObject): WriteRequest => {
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

const readWrite = (dynamoDb: DynamoDb, item: JsonObject): TransactRequest => {
  const kind = oneKind(item);
  const input = objectOf(item[kind], kind);
  return {
    ...readKind(dynamoDb, kind, input),
    returnsItem: choice(input, onFailure, ['NONE', 'ALL_OLD']) === 'ALL_OLD',
    checksOnly: kind === 'ConditionCheck',
  };
};

type Reason = { readonly Code: string; readonly Message?: string; readonly Item?: unknown };

const noReason: Reason = { Code: 'None' };

/** Why a write cannot be done; any other error is thrown. */
const validationReason = (error: unknown): Reason => {
  if (error instanceof AwsError && error.name === 'ValidationException')
    return { Code: 'ValidationError', Message: error.message };
  throw error;
};

const cancelled = (reasons: readonly Reason[]): AwsError => {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return dynamoDbError(
    'transactionCanceled',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  );
};

const reasonOr = <T>(work: () => T): T | Reason => {
  try {
    return work();
  } catch (error) {
    return validationReason(error);
  }
};

const isReason = (value: object): value is Reason => 'Code' in value;

const allOrCancelled = <T extends object>(steps: readonly (T | Reason)[]): readonly T[] => {
  const done = steps.filter((step): step is T => !isReason(step));
  if (done.length === steps.length) return done;
  throw cancelled(steps.map(step => (isReason(step) ? step : noReason)));
};

const conditionReason = (request: TransactRequest, before: StoredItem | undefined): Reason => ({
  Code: 'ConditionalCheckFailed',
  Message: 'The conditional request failed',
  ...(request.returnsItem && before ? { Item: before.attributes } : {}),
});

const planned = (dynamoDb: DynamoDb, request: TransactRequest, write: Write): ItemChange | Reason => {
  const { table, key } = write;
  const before = dynamoDb.items.find(table, key);
  if (!write.allows(before)) return conditionReason(request, before);
  return reasonOr(() => {
    const after = request.checksOnly ? before?.attributes : write.result(before);
    return { table, key, before, after };
  });
};

/** What shall be written, and a ConditionCheck's item as it is; every write is tried, so that each has its reason. */
const plannedAll = (dynamoDb: DynamoDb, requests: readonly TransactRequest[]): readonly SizedChange[] => {
  const writes = allOrCancelled(requests.map(request => reasonOr(() => request.prepare())));
  checkDistinct(writes);
  const plans = allOrCancelled(
    requests.map((request, at) => {
      const write = writes[at];
      if (write === undefined) throw new Error('Every request of a transaction has a write.');
      return planned(dynamoDb, request, write);
    }),
  );
  checkBytes(plans);
  return allOrCancelled(plans.map(plan => reasonOr(() => sized(plan))));
};

const checkBytes = (plans: readonly ItemChange[]): void => {
  const sizes = plans.map(({ before, after }) => (after ? itemBytes(after) : (before?.size ?? 0)));
  if (sizes.reduce((sum, size) => sum + size, 0) > maxTransactionBytes)
    throw invalid('Collection size limit exceeded: the items of a transaction may have at most 4 MB');
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

// An SDK adds a token, which says that a second attempt is the same request; to a caller on this machine no response is lost.
const parameters = ['TransactItems', 'ClientRequestToken', 'ReturnConsumedCapacity'];

export const transactWriteItems = (dynamoDb: DynamoDb, input: JsonObject): JsonObject => {
  checkParameters('TransactWriteItems', input, parameters);
  const capacity = new Capacity(input, 2);
  const requests = readItems(input).map(item => readWrite(dynamoDb, item));
  const changes = plannedAll(dynamoDb, requests);
  dynamoDb.store.transaction(() => {
    for (const [at, change] of changes.entries())
      if (requests[at]?.checksOnly !== true) dynamoDb.items.write(change);
  });
  for (const [at, change] of changes.entries())
    if (requests[at]?.checksOnly) capacity.add(change.table, writeUnits(change.before?.size ?? 0));
    else countUnits(capacity, change);
  return capacity.ofAll();
};
