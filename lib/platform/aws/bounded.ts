import { maxOf, type Slot } from '../../contract/bounds.ts';
import { expr, joined } from './expression.ts';
import { failedWrite, retryOnConflict, transactIf } from './many-items.ts';
import {
  type Delete,
  getItem,
  type Item,
  itemReader,
  type Table,
  type TableWrite,
  transactWrite,
  type Update,
  updateItem,
} from './table.ts';

/*
 * Bounds on how many things there are. Each count is an item with the names of the things that it
 * counts. A thing and its names are written in one transaction, which fails if a count is full: two
 * writers at once cannot both get the last place. As the items hold names and no numbers, writing
 * or releasing the same thing again changes nothing.
 */

export interface SlotClaim {
  readonly slots: readonly Slot[];
  /** The names of the things, one for each. */
  readonly holders: readonly string[];
  /**
   * Epoch milliseconds: places whose time is over are free. Only needed for things that end by
   * themselves.
   */
  readonly now?: number;
}

export interface Full {
  readonly slot: Slot;
  readonly max: number;
  readonly holders: readonly string[];
}

const keyOfCount = ({ bound, scope, of }: Slot) => ({
  pk: `BOUND#${bound}#${scope}#${of}`,
  sk: 'HOLDERS',
});

/** The name of a thing that ends by itself. @param until epoch milliseconds */
export const endingHolder = (name: string, until: number): string =>
  `${String(until).padStart(15, '0')}#${name}`;

/** The name of a thing that `endingHolder` made. */
export const nameOfHolder = (holder: string): string => holder.slice(holder.indexOf('#') + 1);

const isOver = (holder: string, now: number): boolean => {
  const [, until] = /^(\d{15})#/.exec(holder) ?? [];
  return until !== undefined && Number(until) <= now;
};

const maxIn = (slot: Slot): number => slot.max ?? maxOf(slot.bound, slot.scope) ?? 0;

export const countedIn = ({ slots, holders: [holder] }: SlotClaim): Item => {
  if (slots.length === 0 || holder === undefined) return {};
  return { counted_in: slots.map(slot => keyOfCount(slot).pk), counted_as: holder };
};

const removal = (pk: string, holders: readonly string[]): TableWrite => ({
  Update: {
    Key: { pk, sk: 'HOLDERS' },
    UpdateExpression: expr`DELETE holders ${new Set(holders)}`,
  },
});

/** The writes that give the places of a stored thing back; with its end, in one transaction. */
export const releases = (item: Item | undefined): readonly TableWrite[] => {
  const read = itemReader(item ?? {});
  if (item && read.has('counted_as'))
    return read.texts('counted_in').map(pk => removal(pk, [read.text('counted_as')]));
  return [];
};

/**
 * Deletes a counted thing, or changes it so that it counts no more, with more writes, and gives its
 * places back.
 *
 * @returns whether the conditions held
 */
export const endCounted = async (
  table: Table,
  end: { Delete: Delete } | { Update: Update },
  more: readonly TableWrite[] = [],
): Promise<boolean> => {
  const { Key } = 'Delete' in end ? end.Delete : end.Update;
  const stored = await getItem(table, { Key, ConsistentRead: true });
  return transactIf(table, [end, ...more, ...releases(stored)]);
};

export const releasesOf = ({ slots, holders }: SlotClaim): readonly TableWrite[] =>
  slots.map(slot => removal(keyOfCount(slot).pk, slot.as ?? holders));

const taking = (slot: Slot, max: number, holders: readonly string[]): TableWrite => {
  const [only] = holders.length === 1 ? holders : [];
  const conditions = [
    expr`attribute_not_exists(holders)`,
    expr`size(holders) <= ${max - holders.length}`,
  ];
  if (only !== undefined) conditions.push(expr`contains(holders, ${only})`);
  return {
    Update: {
      Key: keyOfCount(slot),
      UpdateExpression: expr`ADD holders ${new Set(holders)}`,
      ConditionExpression: joined(conditions, ' OR '),
    },
  };
};

/**
 * Looks at a count that refused: frees what is over, and finds out what the operator allows. The
 * holders are those before that.
 */
const lookAt = async (
  table: Table,
  slot: Slot,
  now: number,
): Promise<Full & { freed: boolean }> => {
  const Key = keyOfCount(slot);
  const item = await getItem(table, { Key, ConsistentRead: true });
  const all = item?.['holders'] instanceof Set ? [...item['holders']].map(String).sort() : [];
  const over = all.filter(holder => isOver(holder, now));
  if (over.length > 0) await transactWrite(table, [removal(Key.pk, over)]);
  const max = Math.max(
    maxIn(slot),
    item?.['raised'] === undefined ? 0 : itemReader(item).number('raised'),
  );
  return { slot, max, holders: all, freed: over.length > 0 };
};

/**
 * Writes things all or none, if every count has room for them.
 *
 * @returns the count that is full. Throws what the transaction throws if one of `writes` fails
 */
export const writeWithin = async (
  table: Table,
  writes: readonly TableWrite[],
  { slots, holders, now = 0 }: SlotClaim,
): Promise<Full | undefined> => {
  const max = slots.map(maxIn);
  const write = async (): Promise<number> => {
    // A count of nothing has no size to compare with.
    const small = slots.findIndex((slot, at) => (max[at] ?? 0) < (slot.as ?? holders).length);
    if (small >= 0) return small;
    const counts = slots.map((slot, at) => taking(slot, max[at] ?? 0, slot.as ?? holders));
    try {
      await retryOnConflict(() => transactWrite(table, [...writes, ...counts]));
      return -1;
    } catch (error) {
      const failed = failedWrite(error);
      if (failed < writes.length) throw error;
      return failed - writes.length;
    }
  };
  for (;;) {
    const at = await write();
    const slot = slots[at];
    if (!slot) return undefined;
    const found = await lookAt(table, slot, now);
    const isRaised = found.max > (max[at] ?? 0);
    if (!isRaised && !found.freed) return found;
    max[at] = found.max;
  }
};

/** The same. @returns also which of `writes` has a condition that did not hold */
export const tryWithin = async (
  table: Table,
  writes: readonly TableWrite[],
  claim: SlotClaim,
): Promise<Full | number | undefined> => {
  try {
    return await writeWithin(table, writes, claim);
  } catch (error) {
    if (failedWrite(error) < 0) throw error;
    return failedWrite(error);
  }
};

/** How the operator lets counts go further. @param tables the counts are where the things are */
export const awsRaisedBounds = (tables: {
  registry: Table;
  ledger: Table;
}): {
  raise(slot: Slot, max: number): Promise<void>;
} => ({
  raise: (slot, max) =>
    updateItem(['runs', 'replays'].includes(slot.bound) ? tables.ledger : tables.registry, {
      Key: keyOfCount(slot),
      UpdateExpression: expr`SET raised = ${max}`,
    }),
});
