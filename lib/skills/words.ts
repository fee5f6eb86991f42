import { quoteText } from '../json/value.ts';

const longest = 60;
const listed = 12;

/** The first 60 characters of a text in quotes, on one line. */
export const quotedText = (text: string): string => quoteText(text, longest);

/** A submitted value inside a sentence: short, on one line, and never the whole of a list or map. */
export const describeValue = (value: unknown): string => {
  if (typeof value === 'string') return quotedText(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (value === null) return 'nothing (null)';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'an empty map' : 'a map';
  return value === undefined ? 'nothing' : String(value);
};

/** `"a", "b" and 3 more`. */
export const listing = (values: Iterable<string>): string => {
  const all = [...values];
  const shown = all.slice(0, listed).map(quotedText).join(', ');
  return all.length > listed ? `${shown} and ${all.length - listed} more` : shown;
};

/** ` Did you mean "…"?`, or nothing. */
export const hint = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : ` Did you mean ${quotedText(suggestion)}?`;

// Looked up once: in a sandbox (jest's, for one) every mention of a global costs more than these loops.
const { abs, max, min } = Math;
const longestCompared = 60;
const mostCandidates = 100;
const far = 255;

/** Three rows of the distance table, kept: a submission may ask for ten thousand hints. */
const table = [0, 1, 2].map(() => new Uint8Array(longestCompared + 2));
const rowAt = (index: number): Uint8Array =>
  table[index % table.length] ?? new Uint8Array(longestCompared + 2);

/** Fills the cells of one row that can lead to a distance within the bound, and gives the least of them. */
const fillRow = (a: string, b: string, { row, bound }: { row: number; bound: number }): number => {
  const [current, above, before] = [rowAt(row), rowAt(row + 2), rowAt(row + 1)];
  const [from, to] = [max(1, row - bound), min(b.length, row + bound)];
  current[from - 1] = from === 1 ? row : far;
  let least = current[from - 1] ?? far;
  for (let column = from; column <= to; column++) {
    const same = a[row - 1] === b[column - 1];
    let cell = min((above[column - 1] ?? far) + (same ? 0 : 1), (current[column - 1] ?? far) + 1);
    if (column < row + bound) cell = min(cell, (above[column] ?? far) + 1);
    if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
      cell = min(cell, (before[column - 2] ?? far) + 1);
    }
    current[column] = min(cell, far);
    least = min(least, cell);
  }
  return least;
};

/** The optimal string alignment distance (insert, delete, replace, swap neighbours), if it is within the bound. */
const distance = (a: string, b: string, bound: number): number | undefined => {
  if (a === b) return 0;
  if (abs(a.length - b.length) > bound || bound <= 0) return undefined;
  const first = rowAt(0);
  for (let column = 0; column <= b.length; column++) first[column] = column;
  for (let row = 1; row <= a.length; row++) {
    if (fillRow(a, b, { row, bound }) > bound) return undefined;
  }
  const apart = rowAt(a.length)[b.length] ?? far;
  return apart <= bound ? apart : undefined;
};

const tolerance = (length: number): number => (length <= 4 ? 1 : length <= 8 ? 2 : 3);

/**
 * The candidate most like a word that somebody may have mistyped; undefined when none is near. Long words and the
 * candidates after the first hundred are not compared, so that a hint stays cheap whatever was submitted.
 */
export const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  if (word.length > longestCompared) return undefined;
  const lower = word.trim().toLowerCase();
  let best: { candidate: string; apart: number } | undefined;
  let compared = 0;
  for (const candidate of candidates) {
    if (compared++ === mostCandidates) break;
    const bound = best ? best.apart - 1 : tolerance(min(lower.length, candidate.length));
    const apart =
      candidate.length > longestCompared ? undefined : distance(lower, candidate.toLowerCase(), bound);
    if (apart !== undefined) best = { candidate, apart };
  }
  return best?.candidate;
};
