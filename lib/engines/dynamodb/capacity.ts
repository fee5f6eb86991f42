import type { JsonObject } from '../../json/value.ts';
import type { IndexSchema, TableSchema } from './keys.ts';
import { choice } from './requests.ts';

/*
 * What a call would consume on AWS (Developer Guide, "DynamoDB read and write operations"): half a unit for 4 KB of an eventually
 * consistent read, one for a consistent read, one for 1 KB of a write, twice that in a transaction.
 */

export const readUnits = (bytes: number, consistent: boolean): number =>
  Math.max(1, Math.ceil(bytes / 4096)) * (consistent ? 1 : 0.5);

export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** Counts the units of a call, for each table and index. */
export class Capacity {
  readonly #mode: 'NONE' | 'TOTAL' | 'INDEXES';
  readonly #factor: number;
  readonly #tables = new Map<string, { table: number; readonly indexes: Map<string, number> }>();

  /** @param factor 2 in a transaction */
  constructor(input: JsonObject, factor = 1) {
    this.#factor = factor;
    this.#mode = choice(input, 'ReturnConsumedCapacity', ['NONE', 'TOTAL', 'INDEXES']);
  }

  get wanted(): boolean {
    return this.#mode !== 'NONE';
  }

  add({ name }: TableSchema, units: number, index?: IndexSchema): void {
    if (!this.wanted) return;
    const counted = this.#tables.get(name) ?? { table: 0, indexes: new Map<string, number>() };
    this.#tables.set(name, counted);
    if (index) counted.indexes.set(index.name, (counted.indexes.get(index.name) ?? 0) + units * this.#factor);
    else counted.table += units * this.#factor;
  }

  #all(): readonly JsonObject[] {
    return [...this.#tables].map(([TableName, { table, indexes }]) => {
      const total = [...indexes.values()].reduce((sum, units) => sum + units, table);
      const counts = { TableName, CapacityUnits: total };
      if (this.#mode === 'TOTAL') return counts;
      const split = [...indexes].map(([name, CapacityUnits]) => [name, { CapacityUnits }] as const);
      return {
        ...counts,
        Table: { CapacityUnits: table },
        ...(split.length > 0 ? { GlobalSecondaryIndexes: Object.fromEntries(split) } : {}),
      };
    });
  }

  /** The `ConsumedCapacity` of a call on one table. */
  ofOne(): JsonObject {
    const [ConsumedCapacity] = this.#all();
    return ConsumedCapacity ? { ConsumedCapacity } : {};
  }

  /** The `ConsumedCapacity` of a call on several tables. */
  ofAll(): JsonObject {
    return this.wanted ? { ConsumedCapacity: this.#all() } : {};
  }
}
