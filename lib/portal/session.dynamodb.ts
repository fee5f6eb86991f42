import {
  countedIn,
  endCounted,
  endingHolder,
  nameOfHolder,
  releasesOf,
  writeWithin,
} from '../aws/bounded.ts';
import { retryOnConflict } from '../aws/many-items.ts';
import {
  getItem,
  type Item,
  isAwsError,
  itemReader,
  type Table,
  transactWrite,
  updatedItem,
} from '../aws/table.ts';
import type { Slot } from '../contract/bounds.ts';
import { type Bucket, limits } from '../contract/limits.ts';
import { personKey } from '../registry/members.ts';
import { type Session, type Sessions, usedAfter } from './session.ts';

const key = (hash: string) => ({ pk: `SESSION#${hash}`, sk: 'SESSION' });

const readSession = (item: Item): Session => {
  const read = itemReader(item);
  return {
    createdAt: read.number('created_at'),
    endsAt: read.number('ends_at'),
    person: {
      issuer: read.text('issuer'),
      subject: read.text('subject'),
      name: read.text('name'),
      ...(read.has('email') ? { email: read.text('email') } : {}),
    },
  };
};

/**
 * Takes one request from an allowance; undefined if none is left, or a further condition fails. `free_at` is when the whole allowance is
 * free again. It moves on by one step with each request, and may be ahead of the time now by no more than a burst.
 */
const take = async (
  table: Table,
  { perSecond, burst }: Bucket,
  one: { Key: Item; now: number; set: string; only?: string; values: Item },
): Promise<Item | undefined> => {
  const { now, set, only } = one;
  const step = 1000 / perSecond;
  const [next, full] = [now + step, now + (burst - 1) * step];
  const ways = [
    [`SET ${set}, free_at = :next`, '(attribute_not_exists(free_at) OR free_at <= :now)', { ':next': next }],
    [`SET ${set} ADD free_at :step`, 'free_at > :now AND free_at <= :full', { ':step': step, ':full': full }],
  ] as const;
  for (const [UpdateExpression, hasOne, values] of ways) {
    try {
      return await updatedItem(table, {
        Key: one.Key,
        UpdateExpression,
        ConditionExpression: only === undefined ? hasOne : `${only} AND ${hasOne}`,
        ExpressionAttributeValues: { ':now': now, ...values, ...one.values },
      });
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
const create = async (table: Table, hash: string, { person, createdAt, endsAt }: Session): Promise<void> => {
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
    const item = await take(table, limits.sessionRequests, {
      ...{ Key: key(hash), now, set: 'used_at = :now', values: { ':used': usedAfter(now) } },
      only: 'attribute_exists(pk) AND ends_at > :now AND used_at > :used',
    });
    return item ? readSession(item) : refused(table, hash, now);
  },

  async end(hash) {
    await endCounted(table, { Delete: { Key: key(hash) } });
  },

  async countPublish(connection, now) {
    const { publishesByHand } = limits;
    const { perSecond, burst } = publishesByHand;
    const expires = Math.ceil((now + (burst * 1000) / perSecond) / 1000);
    const counted = await take(table, publishesByHand, {
      ...{ Key: key(`publishes#${connection}`), now },
      ...{ set: 'expires_at = :expires', values: { ':expires': expires } },
    });
    return counted !== undefined;
  },
});
