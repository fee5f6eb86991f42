import type { Item } from './table.ts';

const wrong = (item: Item, name: string, expected: string): Error =>
  new Error(`The stored item ${String(item['pk'])} / ${String(item['sk'])} has no ${expected} "${name}".`);

/** Reads the attributes of a stored item. Throws when one has a different type than it was written with. */
export const itemReader = (item: Item) => ({
  text(name: string): string {
    const value = item[name];
    if (typeof value !== 'string') throw wrong(item, name, 'text');
    return value;
  },
  number(name: string): number {
    const value = item[name];
    if (typeof value !== 'number') throw wrong(item, name, 'number');
    return value;
  },
  texts(name: string): readonly string[] {
    const value = item[name] ?? [];
    if (!Array.isArray(value) || !value.every(entry => typeof entry === 'string'))
      throw wrong(item, name, 'list of texts');
    return value;
  },
  bytes(name: string): Uint8Array {
    const value = item[name];
    if (!(value instanceof Uint8Array)) throw wrong(item, name, 'binary');
    return value;
  },
  oneOf<T extends string>(name: string, allowed: readonly T[]): T {
    const value = allowed.find(option => option === item[name]);
    if (value === undefined) throw wrong(item, name, allowed.join(' or '));
    return value;
  },
  has: (name: string): boolean => item[name] !== undefined,
});

export type ItemReader = ReturnType<typeof itemReader>;
