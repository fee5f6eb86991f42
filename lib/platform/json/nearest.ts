// Read once: in a sandbox such as jest's, every access to a global costs more than these loops.
const { abs, max, min } = Math;
const maxComparedCharacters = 60;
const maxCandidates = 100;
const far = 255;

/** Three rows of the distance table, reused: a submission may need ten thousand hints. */
const table = [0, 1, 2].map(() => new Uint8Array(maxComparedCharacters + 2));
const rowAt = (index: number): Uint8Array =>
  table[index % table.length] ?? new Uint8Array(maxComparedCharacters + 2);

/**
 * Fills the cells of one row that can lead to a distance within the bound, and returns the smallest
 * of them.
 */
const fillRow = (a: string, b: string, { row, bound }: { row: number; bound: number }): number => {
  const current = rowAt(row);
  const above = rowAt(row + 2);
  const before = rowAt(row + 1);
  const from = max(1, row - bound);
  const to = min(b.length, row + bound);
  current[from - 1] = from === 1 ? row : far;
  let smallest = current[from - 1] ?? far;
  for (let column = from; column <= to; column++) {
    const same = a[row - 1] === b[column - 1];
    let cell = min((above[column - 1] ?? far) + (same ? 0 : 1), (current[column - 1] ?? far) + 1);
    if (column < row + bound) cell = min(cell, (above[column] ?? far) + 1);
    if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
      cell = min(cell, (before[column - 2] ?? far) + 1);
    current[column] = min(cell, far);
    smallest = min(smallest, cell);
  }
  return smallest;
};

/**
 * The optimal string alignment distance (insert, delete, replace, swap neighbours), if it is within
 * the bound.
 */
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

const tolerance = (length: number): number => {
  if (length <= 4) return 1;
  if (length <= 8) return 2;
  return 3;
};

/**
 * The candidate closest to a word that may be mistyped; undefined when none is close. Long words,
 * and candidates after the first hundred, are not compared, so that a hint stays cheap for any
 * input.
 */
export const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  if (word.length > maxComparedCharacters) return undefined;
  const lower = word.trim().toLowerCase();
  let best: { candidate: string; apart: number } | undefined;
  let compared = 0;
  for (const candidate of candidates) {
    if (compared++ === maxCandidates) break;
    if (candidate.length > maxComparedCharacters) continue;
    const bound = best ? best.apart - 1 : tolerance(min(lower.length, candidate.length));
    const apart = distance(lower, candidate.toLowerCase(), bound);
    if (apart !== undefined) best = { candidate, apart };
  }
  return best?.candidate;
};
