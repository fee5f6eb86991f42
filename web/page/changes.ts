import { Change, diff, presentableDiff } from '@codemirror/merge';

/**
 * Texts up to this length are compared character by character, which takes a time that grows with
 * its square.
 */
const maxCharacters = 20_000;

/** A block of changed lines up to this length is compared character by character too. */
const maxBlock = 2_000;

interface Lines {
  /** A character for each line: the same for the same line. */
  readonly signs: string;
  /** Where each line begins; at last, the end of the text. */
  readonly starts: readonly number[];
}

/** Above it are surrogates, which are no characters of their own. */
const maxSigns = 0xd800;

const linesOf = (text: string, known: Map<string, number>): Lines => {
  const starts: number[] = [];
  const signs: number[] = [];
  for (let from = 0; from <= text.length; ) {
    const end = (text.indexOf('\n', from) + 1 || text.length + 1) - 1;
    const line = text.slice(from, end);
    const sign = known.get(line) ?? known.size;
    known.set(line, sign);
    starts.push(from);
    signs.push(sign);
    from = end + 1;
  }
  return {
    signs: signs.map(sign => String.fromCharCode(sign)).join(''),
    starts: [...starts, text.length],
  };
};

const within = (a: string, b: string, block: Change): readonly Change[] => {
  const [before, after] = [a.slice(block.fromA, block.toA), b.slice(block.fromB, block.toB)];
  return Math.max(before.length, after.length) > maxBlock
    ? [block]
    : presentableDiff(before, after, { scanLimit: 100 }).map(
        ({ fromA, toA, fromB, toB }) =>
          new Change(
            block.fromA + fromA,
            block.fromA + toA,
            block.fromB + fromB,
            block.fromB + toB,
          ),
      );
};

/** What changed between two texts: in long ones it is looked for line by line first. */
export const changesBetween = (a: string, b: string): readonly Change[] => {
  if (Math.max(a.length, b.length) <= maxCharacters)
    return presentableDiff(a, b, { scanLimit: 500 });
  const known = new Map<string, number>();
  const [before, after] = [linesOf(a, known), linesOf(b, known)];
  // More different lines than there are signs for: nearly all are different.
  if (known.size >= maxSigns) return [new Change(0, a.length, 0, b.length)];
  const at = ({ starts }: Lines, line: number): number => starts[line] ?? starts.at(-1) ?? 0;
  return diff(before.signs, after.signs, { scanLimit: 500 }).flatMap(({ fromA, toA, fromB, toB }) =>
    within(a, b, new Change(at(before, fromA), at(before, toA), at(after, fromB), at(after, toB))),
  );
};
