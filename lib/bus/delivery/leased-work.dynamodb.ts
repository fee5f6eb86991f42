import { daySeconds } from '../../contract/limits.ts';
import { defined, type Entries, iso, type Part } from '../../contract/outside.ts';
import { type Expression, expr, joined } from '../../platform/aws/expression.ts';
import { holds } from '../../platform/aws/many-items.ts';
import {
  type Item,
  itemReader,
  mayEndPart,
  queryAll,
  queryPage,
  type Table,
  type Update,
  unlessError,
  updatedItem,
  updateItem,
} from '../../platform/aws/table.ts';
import { type Lease, takeoverTime } from './log.ts';

/*
 * Work that a scheduled function does in turns, as an item of the ledger's table: its `status` is
 * `running` until it ends, the index of pending work lists it by its kind, and whoever works on it
 * holds its lease.
 */

/** Ninety days after a time in epoch milliseconds. */
export const expiryOf = (time: number): number => Math.floor(time / 1000) + 90 * daySeconds;

/** A change of running work, if `only` holds too. */
export const whileRunning = (Key: Item, change: Expression, only?: Expression): Update => ({
  Key,
  UpdateExpression: change,
  ConditionExpression: joined([expr`#status = ${'running'}`, ...(only ? [only] : [])], ' AND '),
});

/**
 * Both the owner and the end are compared: a late release must not end a later lease of the same
 * owner.
 */
export const isHeld = ({ owner, until }: Lease): Expression =>
  expr`lease_owner = ${owner} AND lease_until = ${until}`;

export const asHolder = (key: Item, owner: string, change: Expression): Update =>
  whileRunning(key, change, expr`lease_owner = ${owner}`);

/** Makes such a change. @returns false when the work has ended, or is another's by now */
export const changeAsHolder = (
  table: Table,
  key: Item,
  owner: string,
  change: Expression,
): Promise<boolean> => holds(updateItem(table, asHolder(key, owner, change)));

/**
 * Takes the lease of running work.
 *
 * @returns the item; undefined when it has ended, or is another's
 */
export const acquireLease = async (
  table: Table,
  key: Item,
  { lease, now }: { lease: Lease; now: number },
): Promise<Item | undefined> => {
  const take = expr`SET lease_owner = ${lease.owner}, lease_until = ${lease.until}`;
  const isFree = expr`(attribute_not_exists(lease_owner) OR lease_until <= ${takeoverTime(now)})`;
  const taken = updatedItem(table, whileRunning(key, take, isFree));
  return unlessError(taken, 'ConditionalCheckFailedException');
};

export const leaseIn = (read: ReturnType<typeof itemReader>): { lease?: Lease } => {
  if (!read.has('lease_owner')) return {};
  return { lease: { owner: read.text('lease_owner'), until: read.number('lease_until') } };
};

/**
 * The ids of the running work of a kind.
 *
 * @param prefix what stands before the id in the partition key
 */
export const runningWork = async (
  table: Table,
  kind: string,
  prefix: string,
): Promise<readonly string[]> => {
  const items = await queryAll(table, {
    IndexName: 'pending',
    KeyConditionExpression: expr`pending_work = ${kind}`,
  });
  return items.map(item => itemReader(item).text('pk').slice(prefix.length));
};

interface ListedWork {
  readonly id: string;
  readonly createdAt: number;
}

/** Where work stands in a list: times of one length sort as text. */
export const placeInList = ({ id, createdAt }: ListedWork): string => `${iso(createdAt)}#${id}`;

/** An entry in a list of work. */
export const listedWork = (list: string, work: ListedWork): Item => ({
  pk: list,
  sk: placeInList(work),
});

/** The ids of several lists as one, the newest first. What is in two of them is there once. */
export const partListed = async (
  table: Table,
  lists: readonly string[],
  { after, max }: Part,
): Promise<Entries<string>> => {
  if (!mayEndPart(after)) return { entries: [] };

  const pageOf = (list: string) => {
    const isListed = expr`pk = ${list}`;
    return queryPage(table, {
      KeyConditionExpression: after === undefined ? isListed : expr`${isListed} AND sk < ${after}`,
      ConsistentRead: true,
      ScanIndexForward: false,
      Limit: max,
    });
  };

  const pages = await Promise.all(lists.map(pageOf));
  const found = new Set(pages.flatMap(({ items }) => items.map(({ sk }) => String(sk))));
  const places = [...found].sort().reverse();

  const part = places.slice(0, max);
  const isMore = places.length > max || pages.some(({ next }) => next);
  return {
    entries: part.map(place => place.slice(place.indexOf('#') + 1)),
    ...(isMore && defined({ next: part.at(-1) })),
  };
};
