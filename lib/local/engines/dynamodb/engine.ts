import type { JsonObject } from '../../../platform/json/value.ts';
import type { EngineClock } from '../machine.ts';
import type { Store } from '../store.ts';
import { Items, sized, storedItem } from './items.ts';
import { keyOfItem } from './keys.ts';
import { Tables } from './tables.ts';

export interface DynamoDb {
  readonly store: Store;
  readonly clock: Pick<EngineClock, 'now'>;
  readonly tables: Tables;
  readonly items: Items;
}

/** DynamoDB on a store, once: what it remembers of its tables has no twin. */
export const openDynamoDb = (store: Store, clock: Pick<EngineClock, 'now'>): DynamoDb => ({
  store,
  clock,
  tables: new Tables(store),
  items: new Items(store),
});

export const removeTable = ({ store, tables, items }: DynamoDb, input: JsonObject): JsonObject =>
  store.transaction(() => {
    const table = tables.of(input);
    tables.remove(table);
    items.clear(table.id);
    return {};
  });

/** DynamoDB ignores times that are further back: they are taken for a mistake. */
const maxAgeSeconds = 5 * 365 * 24 * 60 * 60;

/**
 * Deletes up to `max` items whose time has passed, by the attribute that UpdateTimeToLive names,
 * and returns how many. Reads find them until then: DynamoDB, too, deletes them "within a few days"
 * (Developer Guide, "Using time to live"). Nothing calls this by itself: whoever runs the engine
 * does so now and then, so that the store does not grow for ever.
 */
export const removeExpired = ({ store, clock, tables, items }: DynamoDb, max: number): number =>
  store.transaction(() => {
    const now = Math.floor(clock.now() / 1000);
    const rows = items.expired(now - maxAgeSeconds, now, max);
    for (const row of rows) {
      const table = tables.withId(row.tbl);
      if (table === undefined) continue;
      const before = storedItem(table, row);
      items.write(sized({ table, key: keyOfItem(table.key, before.attributes), before }));
    }
    return rows.length;
  });
