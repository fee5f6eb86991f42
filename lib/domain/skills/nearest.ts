const longest = 60;
const mostCandidates = 100;
const far = Number.POSITIVE_INFINITY;

/** The cells of one row that can still lead to a distance within the bound; the others stay far. */
const nextRow = (words: readonly [string, string], rows: readonly number[][], bound: number): number[] => {
  const [a, b] = words;
  const row = rows.length;
  const above = rows[row - 1] ?? [];
  const current: number[] = new Array(b.length + 1).fill(far);
  if (row <= bound) current[0] = row;
  for (let column = Math.max(1, row - bound); column <= Math.min(b.length, row + bound); column++) {
    const same = a[row - 1] === b[column - 1];
    const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
    current[column] = Math.min(
      (above[column] ?? far) + 1,
      (current[column - 1] ?? far) + 1,
      (above[column - 1] ?? far) + (same ? 0 : 1),
      swapped ? (rows[row - 2]?.[column - 2] ?? far) + 1 : far,
    );
  }
  return current;
};

/** The optimal string alignment distance (insert, delete, replace, swap neighbours), if it is within the bound. */
const distance = (a: string, b: string, bound: number): number | undefined => {
  if (bound === 0) return a === b ? 0 : undefined;
  if (Math.abs(a.length - b.length) > bound) return undefined;
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  while (rows.length <= a.length) {
    const row = nextRow([a, b], rows, bound);
    if (Math.min(...row) > bound) return undefined;
    rows.push(row);
  }
  const apart = rows[a.length]?.[b.length] ?? far;
  return apart <= bound ? apart : undefined;
};

const tolerance = (length: number): number => (length <= 4 ? 1 : length <= 8 ? 2 : 3);

/**
 * The candidate most like a word that somebody may have mistyped; undefined when none is near. Long words and the
 * candidates after the first hundred are not compared, so that a hint stays cheap whatever was submitted.
 */
export const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  if (word.length > longest) return undefined;
  const lower = word.trim().toLowerCase();
  let best: { candidate: string; apart: number } | undefined;
  let compared = 0;
  for (const candidate of candidates) {
    if (compared++ === mostCandidates) break;
    const bound = best ? best.apart - 1 : tolerance(Math.min(lower.length, candidate.length));
    const apart = candidate.length > longest ? undefined : distance(lower, candidate.toLowerCase(), bound);
    if (apart !== undefined) best = { candidate, apart };
  }
  return best?.candidate;
};
