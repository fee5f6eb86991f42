import type { Entries, Part } from '../../../lib/contract/outside.ts';

/** Part of a list in memory, in the order of its keys. */
export const partOf = <T>(
  all: readonly (readonly [key: string, entry: T])[],
  { after = '', max }: Part,
): Entries<T> => {
  const left = all.filter(([key]) => key > after).sort(([a], [b]) => (a < b ? -1 : 1));
  const part = left.slice(0, max);
  const last = part.length < left.length ? part.at(-1) : undefined;
  return { entries: part.map(([, entry]) => entry), ...(last ? { next: last[0] } : {}) };
};
