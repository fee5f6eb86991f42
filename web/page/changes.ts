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
    const lineFeed = text.indexOf('\n', from);
    const end = lineFeed < 0 ? text.length : lineFeed;
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

const moved = ({ fromA, toA, fromB, toB }: Change, startA: number, startB: number): Change =>
  new Change(startA + fromA, startA + toA, startB + fromB, startB + toB);

const within = (a: string, b: string, block: Change): readonly Change[] => {
  const before = a.slice(block.fromA, block.toA);
  const after = b.slice(block.fromB, block.toB);
  if (Math.max(before.length, after.length) > maxBlock) return [block];
  const changes = presentableDiff(before, after, { scanLimit: 100 });
  return changes.map(change => moved(change, block.fromA, block.fromB));
};

/** Where a line begins; the end of the text behind the last one. */
const startOf = ({ starts }: Lines, line: number): number => starts[line] ?? starts.at(-1) ?? 0;

/** What changed between two texts: in long ones it is looked for line by line first. */
export const changesBetween = (a: string, b: string): readonly Change[] => {
  if (Math.max(a.length, b.length) <= maxCharacters)
    return presentableDiff(a, b, { scanLimit: 500 });

  const known = new Map<string, number>();
  const before = linesOf(a, known);
  const after = linesOf(b, known);
  // More different lines than there are signs for: nearly all are different.
  if (known.size >= maxSigns) return [new Change(0, a.length, 0, b.length)];

  const blocks = diff(before.signs, after.signs, { scanLimit: 500 }).map(
    ({ fromA, toA, fromB, toB }) =>
      new Change(
        startOf(before, fromA),
        startOf(before, toA),
        startOf(after, fromB),
        startOf(after, toB),
      ),
  );
  return blocks.flatMap(block => within(a, b, block));
};
