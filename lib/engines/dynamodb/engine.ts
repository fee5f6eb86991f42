import type { EngineClock } from '../machine.ts';
import type { Store } from '../store/store.ts';
import { Items } from './items.ts';
import { Tables } from './tables.ts';

/** What the operations work on. */
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
