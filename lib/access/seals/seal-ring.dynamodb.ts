import { limits } from '../../contract/limits.ts';
import type { Clock, Ids } from '../../contract/outside.ts';
import { expr } from '../../platform/aws/expression.ts';
import { holds } from '../../platform/aws/many-items.ts';
import {
  getItem,
  type Item,
  itemReader,
  type Table,
  updatedItem,
  updateItem,
} from '../../platform/aws/table.ts';
import { newSealKey, type SealKey, type Seals, sealerOf } from './seal.ts';
import type { SealRing, SealRings } from './seal-ring.ts';

const Key = { pk: 'SEALS', sk: 'RING' };

const storedKey = ({ id, secret, sealsFrom }: SealKey): Item => ({
  id,
  secret,
  seals_from: sealsFrom,
});

const readKey = (value: unknown): SealKey => {
  if (typeof value !== 'object' || value === null)
    throw new Error('The stored sealing keys hold something else than keys.');
  const read = itemReader({ ...Key, ...value });
  return {
    id: read.text('id'),
    secret: read.bytes('secret'),
    sealsFrom: read.number('seals_from'),
  };
};

const readRing = (item: Item): SealRing => {
  const stored = item['seal_keys'];
  const [first, ...others] = Array.isArray(stored) ? stored.map(readKey) : [];
  if (!first) throw new Error('The stored list of sealing keys has no key.');
  return { version: itemReader(item).number('version'), keys: [first, ...others] };
};

/**
 * The ring, with a first key if there is none: of several that make one at the same time, all get
 * the same.
 */
const findOrMake = async (table: Table, ids: Ids): Promise<SealRing> => {
  const found = await getItem(table, { Key, ConsistentRead: true });
  if (found) return readRing(found);
  const keys = expr`seal_keys = if_not_exists(seal_keys, ${[storedKey(newSealKey(ids, 0))]})`;
  const version = expr`version = if_not_exists(version, ${1})`;
  const made = await updatedItem(table, { Key, UpdateExpression: expr`SET ${keys}, ${version}` });
  return readRing(made);
};

/** The ring in the registry, for whoever rotates its keys. */
export const awsSealRings = (table: Table, ids: Ids): SealRings => ({
  find: () => findOrMake(table, ids),
  replace: ({ version, keys }) =>
    holds(
      updateItem(table, {
        Key,
        UpdateExpression: expr`SET seal_keys = ${keys.map(storedKey)}, version = ${version}`,
        ConditionExpression: expr`version = ${version - 1}`,
      }),
    ),
});

/** What seals and opens with the keys of the registry. A process reads them once a minute. */
export const awsSeals = (table: Table, { clock, ids }: { clock: Clock; ids: Ids }): Seals => {
  let known: { ring: Promise<SealRing>; until: number } | undefined;

  const ringAt = (now: number): Promise<SealRing> => {
    if (known && now < known.until) return known.ring;
    const ring = findOrMake(table, ids);
    const reading = { ring, until: now + limits.sealCacheSeconds * 1000 };
    known = reading;
    // What could not be read is read again by the next request.
    ring.catch(() => {
      if (known === reading) known = undefined;
    });
    return ring;
  };

  return {
    async sealer() {
      const { keys } = await ringAt(clock.now());
      return sealerOf(keys, clock.now());
    },
  };
};
