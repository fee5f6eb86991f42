import { personKey } from '../access/people/members.ts';
import type { Slot } from '../contract/bounds.ts';
import { type Bucket, limits } from '../contract/limits.ts';
import {
  countedIn,
  endCounted,
  endingHolder,
  nameOfHolder,
  releasesOf,
  writeWithin,
} from '../platform/aws/bounded.ts';
import { type Expression, expr } from '../platform/aws/expression.ts';
import { retryOnConflict } from '../platform/aws/many-items.ts';
import {
  getItem,
  type Item,
  isAwsError,
  itemReader,
  type Table,
  transactWrite,
  updatedItem,
} from '../platform/aws/table.ts';
import { type PortalSession, type Sessions, usedAfter } from './session.ts';

const key = (hash: string) => ({ pk: `SESSION#${hash}`, sk: 'SESSION' });

const readSession = (item: Item): PortalSession => {
  const read = itemReader(item);
  return {
    createdAt: read.number('created_at'),
    endsAt: read.number('ends_at'),
    person: {
      issuer: read.text('issuer'),
      subject: read.text('subject'),
      name: read.text('name'),
      ...(read.has('email') && { email: read.text('email') }),
    },
  };
};

interface Taking {
  readonly hash: string;
  readonly now: number;
  /** What the request sets beside the allowance. */
  readonly set: Expression;
  readonly condition?: Expression;
}

/**
 * Takes one request from an allowance; undefined if none is left, or a further condition fails.
 * `free_at` is when the whole allowance is free again. It moves on by one step with each request,
 * and may be ahead of the time now by no more than a burst.
 */
const take = async (
  table: Table,
  { perSecond, burst }: Bucket,
  { hash, now, set, condition }: Taking,
): Promise<Item | undefined> => {
  const step = 1000 / perSecond;
  const isIdle = expr`(attribute_not_exists(free_at) OR free_at <= ${now})`;
  const hasOne = expr`free_at > ${now} AND free_at <= ${now + (burst - 1) * step}`;
  // Two ways, since a time that is set and one that moves on are two expressions.
  const ways = [
    [expr`SET ${set}, free_at = ${now + step}`, isIdle],
    [expr`SET ${set} ADD free_at ${step}`, hasOne],
  ] as const;
  for (const [UpdateExpression, isFree] of ways) {
    try {
      const ConditionExpression = condition ? expr`${condition} AND ${isFree}` : isFree;
      return await updatedItem(table, { Key: key(hash), UpdateExpression, ConditionExpression });
    } catch (error) {
      if (!isAwsError(error, 'ConditionalCheckFailedException')) throw error;
    }
  }
  return undefined;
};

/** What a failed condition means: the session has ended, or it asks too often. */
const refused = async (table: Table, hash: string, now: number): Promise<'busy' | undefined> => {
  const item = await getItem(table, { Key: key(hash), ConsistentRead: true });
  if (!item) return undefined;
  const read = itemReader(item);
  const isValid = read.number('ends_at') > now && read.number('used_at') > usedAfter(now);
  return isValid ? 'busy' : undefined;
};

/** Ends a session by its name in the count, which goes even if the session has gone by itself. */
const endHolder = (table: Table, slot: Slot, holder: string): Promise<void> => {
  const removal = { Delete: { Key: key(nameOfHolder(holder)) } };
  const counted = releasesOf({ slots: [slot], holders: [holder] });
  return retryOnConflict(() => transactWrite(table, [removal, ...counted]));
};

/** Starts a session; if the person has as many as anybody may have, the oldest ends. */
const create = async (
  table: Table,
  hash: string,
  { person, createdAt, endsAt }: PortalSession,
): Promise<void> => {
  const holding = {
    slots: [{ bound: 'sessions', scope: 'person', of: personKey(person) }],
    holders: [endingHolder(hash, endsAt)],
    now: createdAt,
  } as const;
  const Item: Item = {
    ...key(hash),
    ...person,
    created_at: createdAt,
    used_at: createdAt,
    free_at: createdAt,
    ends_at: endsAt,
    expires_at: Math.ceil(endsAt / 1000),
    ...countedIn(holding),
  };
  const put = { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } };
  for (;;) {
    const full = await writeWithin(table, [put], holding);
    if (!full) return;
    await endHolder(table, holding.slots[0], full.holders[0] ?? '');
  }
};

/** Sessions in DynamoDB; their ends are compared with the time, because DynamoDB deletes late. */
export const awsSessions = (table: Table): Sessions => ({
  create: (...call) => create(table, ...call),

  async use(hash, now) {
    const condition = expr`ends_at > ${now} AND used_at > ${usedAfter(now)}`;
    const item = await take(table, limits.sessionRequests, {
      hash,
      now,
      set: expr`used_at = ${now}`,
      condition,
    });
    return item ? readSession(item) : refused(table, hash, now);
  },

  async end(hash) {
    await endCounted(table, { Delete: { Key: key(hash) } });
  },

  async countPublish(connection, now) {
    const { perSecond, burst } = limits.publishesByHand;
    const set = expr`expires_at = ${Math.ceil((now + (burst * 1000) / perSecond) / 1000)}`;
    const taken = await take(table, limits.publishesByHand, {
      hash: `publishes#${connection}`,
      now,
      set,
    });
    return taken !== undefined;
  },
});
