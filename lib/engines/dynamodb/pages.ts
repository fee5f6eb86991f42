import type { SqlValue, Store } from '../store.ts';
import { decodeItem, type ItemRow } from './items.ts';
import type { KeyRange } from './key-conditions.ts';
import { type IndexSchema, keyInIndex, keyOfItem, type StoredKey, type TableSchema } from './keys.ts';

/** A place in the order of a table or an index. In a table both keys are the same. */
export interface Position {
  readonly entry: StoredKey;
  readonly item: StoredKey;
}

interface Source {
  readonly table: TableSchema;
  readonly index: IndexSchema | undefined;
  readonly range: KeyRange | undefined;
  readonly forward: boolean;
  readonly after: Position | undefined;
  readonly max: number;
}

const fromTable = 'SELECT e.id, e.pk, e.sk, e.size, e.item, e.bytes FROM dynamodb_items e WHERE e.tbl = ?';

const fromIndex = `SELECT i.id, i.pk, i.sk, i.size, i.item, i.bytes
  FROM dynamodb_index_entries e JOIN dynamodb_items i ON i.id = e.item WHERE e.tbl = ? AND e.idx = ?`;

/** How many rows are read at first: most queries have few. Later as many as the page can still take, by the size of the first. */
const firstRows = 16;
const maxRows = 256;
const pageBytes = 1024 * 1024;

/** Reads rows in order, a few at a time, so that large items behind the end of a page are not read. */
export class Pages {
  readonly #store: Store;
  readonly #source: Source;
  #rows: readonly ItemRow[] = [];
  #at = 0;
  #asked = 0;
  #read = 0;
  #bytes = 0;
  #after: Position | undefined;

  constructor(store: Store, source: Source) {
    this.#store = store;
    this.#source = source;
    this.#after = source.after;
  }

  /** The next row; undefined at the end. */
  next(): ItemRow | undefined {
    if (this.#at >= this.#rows.length) this.#readMore();
    const row = this.#rows[this.#at];
    this.#at += 1;
    return row;
  }

  #readMore(): void {
    const last = this.#rows.at(-1);
    // Fewer than asked for: there are no more.
    if (this.#rows.length < this.#asked) {
      this.#rows = [];
      return;
    }
    if (last) this.#after = this.#positionOf(last);
    this.#asked = Math.min(this.#wanted(), this.#source.max - this.#read);
    this.#rows = this.#asked > 0 ? this.#select(this.#asked) : [];
    this.#at = 0;
    this.#read += this.#rows.length;
    for (const { size } of this.#rows) this.#bytes += size;
  }

  /** From the item: libsql cuts a text column at its first zero character. */
  #positionOf(row: ItemRow): Position {
    const { table, index } = this.#source;
    const attributes = decodeItem(table, row);
    const item = keyOfItem(table.key, attributes);
    return { entry: (index && keyInIndex(index, attributes)) ?? item, item };
  }

  #wanted(): number {
    if (this.#read === 0) return firstRows;
    const average = this.#bytes / this.#read;
    return Math.max(1, Math.min(maxRows, Math.ceil((pageBytes - this.#bytes) / average)));
  }

  #select(limit: number): readonly ItemRow[] {
    const { table, index, range, forward } = this.#source;
    const values: SqlValue[] = index ? [table.id, index.number] : [table.id];
    const text = [index ? fromIndex : fromTable];
    const where = (condition: string, ...bound: readonly SqlValue[]): void => {
      text.push(condition);
      values.push(...bound);
    };
    if (range) {
      where('e.pk = ?', range.partition);
      const { lower, upper } = range.sort;
      if (lower) where(`e.sk ${lower.included ? '>=' : '>'} ?`, lower.key);
      if (upper) where(`e.sk ${upper.included ? '<=' : '<'} ?`, upper.key);
    }
    this.#afterPosition(where);
    const order = ['e.pk', 'e.sk', ...(index ? ['e.item_pk', 'e.item_sk'] : [])];
    values.push(limit);
    const ordered = order.map(column => `${column} ${forward ? 'ASC' : 'DESC'}`).join(', ');
    return this.#store.sql<ItemRow>(`${text.join(' AND ')} ORDER BY ${ordered} LIMIT ?`).all(...values);
  }

  #afterPosition(where: (condition: string, ...bound: readonly SqlValue[]) => void): void {
    const { index, range, forward } = this.#source;
    if (!this.#after) return;
    const { entry, item } = this.#after;
    const sign = forward ? '>' : '<';
    const columns = [...(range ? [] : ['e.pk']), 'e.sk', ...(index ? ['e.item_pk', 'e.item_sk'] : [])];
    const bound = [...(range ? [entry[1]] : entry), ...(index ? item : [])];
    where(`(${columns.join(', ')}) ${sign} (${columns.map(() => '?').join(', ')})`, ...bound);
  }
}
