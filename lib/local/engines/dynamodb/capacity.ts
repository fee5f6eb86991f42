import type { JsonObject } from '../../../platform/json/value.ts';
import type { SizedChange } from './items.ts';
import { keyInIndex, projectedByIndex, sameKey, type TableSchema } from './keys.ts';
import { choice } from './requests.ts';
import { type Attributes, itemBytes, sameValues } from './values.ts';

/*
 * What a call would consume on AWS (Developer Guide, "DynamoDB read and write operations"): half a
 * unit for 4 KB of an eventually consistent read, one for a consistent read, one for 1 KB of a
 * write, twice that in a transaction.
 */

export const readUnits = (bytes: number, consistent: boolean): number =>
  Math.max(1, Math.ceil(bytes / 4096)) * (consistent ? 1 : 0.5);

export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

export class Capacity {
  readonly wanted: boolean;
  readonly #factor: number;
  readonly #tables = new Map<string, number>();

  /** @param factor 2 in a transaction: everything is written twice */
  constructor(input: JsonObject, factor: 1 | 2 = 1) {
    this.#factor = factor;
    this.wanted = choice(input, 'ReturnConsumedCapacity', ['NONE', 'TOTAL']) === 'TOTAL';
  }

  add({ name }: TableSchema, units: number): void {
    if (this.wanted) this.#tables.set(name, (this.#tables.get(name) ?? 0) + units * this.#factor);
  }

  #all(): readonly JsonObject[] {
    return [...this.#tables].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits }));
  }

  ofOne(): JsonObject {
    const [ConsumedCapacity] = this.#all();
    if (ConsumedCapacity) return { ConsumedCapacity };
    return {};
  }

  ofAll(): JsonObject {
    if (this.wanted) return { ConsumedCapacity: this.#all() };
    return {};
  }
}

/**
 * Counts the units of a write: the larger of the two versions, and each entry of an index that
 * changed.
 */
export const countUnits = (
  capacity: Capacity,
  { table, before, after, size }: SizedChange,
): void => {
  if (!capacity.wanted) return;
  capacity.add(table, writeUnits(Math.max(before?.size ?? 0, size)));
  for (const index of table.indexes) {
    const entryOf = (item: Attributes | undefined) => {
      const key = item && keyInIndex(index, item);
      const M = item && key ? projectedByIndex(table, index, item) : {};
      return { key, M, units: key ? writeUnits(itemBytes(M)) : 0 };
    };
    const [from, to] = [entryOf(before?.attributes), entryOf(after)];
    if (sameValues(from, to)) continue;
    const isMoved = !sameKey(from.key, to.key);
    capacity.add(table, isMoved ? from.units + to.units : Math.max(from.units, to.units));
  }
};
