import {
  countedIn,
  endCounted,
  endingHolder,
  nameOfHolder,
  releasesOf,
  writeWithin,
} from '../aws/bounded.ts';
import { expr } from '../aws/expression.ts';
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
import { limits } from '../contract/limits.ts';
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

const { perSecond, burst } = limits.sessionRequests;
/** Milliseconds that one request takes from its session's allowance. */
const step = 1000 / perSecond;

/**
 * Counts a request: `free_at` is when the whole allowance is free again. It moves on by one step with each request, and may be
 * ahead of the time now by no more than a burst.
 */
const counted = (table: Table, hash: string, now: number, isIdle: boolean): Promise<Item> => {
  const [next, isFree] = isIdle
    ? [expr`, free_at = ${now + step}`, expr`free_at <= ${now}`]
    : [expr` ADD free_at ${step}`, expr`free_at > ${now} AND free_at <= ${now + (burst - 1) * step}`];
  return updatedItem(table, {
    Key: key(hash),
    UpdateExpression: expr`SET used_at = ${now}${next}`,
    ConditionExpression: expr`ends_at > ${now} AND used_at > ${usedAfter(now)} AND ${isFree}`,
  });
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

const end = async (table: Table, hash: string): Promise<void> => {
  await endCounted(table, { Delete: { Key: key(hash) } });
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

/** As `counted`, of a connection, whose count need not be there. */
const countPublish = async (table: Table, connection: string, now: number): Promise<boolean> => {
  const { perSecond, burst } = limits.publishesByHand;
  const step = 1000 / perSecond;
  const expires = expr`SET expires_at = ${Math.ceil((now + burst * step) / 1000)}`;
  const ways = [
    {
      UpdateExpression: expr`${expires}, free_at = ${now + step}`,
      ConditionExpression: expr`attribute_not_exists(free_at) OR free_at <= ${now}`,
    },
    {
      UpdateExpression: expr`${expires} ADD free_at ${step}`,
      ConditionExpression: expr`free_at > ${now} AND free_at <= ${now + (burst - 1) * step}`,
    },
  ];
  for (const way of ways) {
    try {
      await updatedItem(table, { Key: key(`publishes#${connection}`), ...way });
      return true;
    } catch (error) {
      if (!isAwsError(error, 'ConditionalCheckFailedException')) throw error;
    }
  }
  return false;
};

/** Sessions in DynamoDB; their ends are compared with the time, because DynamoDB deletes late. */
export const awsSessions = (table: Table): Sessions => ({
  create: (...call) => create(table, ...call),

  async use(hash, now) {
    for (const isIdle of [true, false]) {
      try {
        return readSession(await counted(table, hash, now, isIdle));
      } catch (error) {
        if (!isAwsError(error, 'ConditionalCheckFailedException')) throw error;
      }
    }
    return refused(table, hash, now);
  },

  end: hash => end(table, hash),

  countPublish: (connection, now) => countPublish(table, connection, now),
});
