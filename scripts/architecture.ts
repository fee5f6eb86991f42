interface Box {
  readonly name: string;
  readonly column: number;
  readonly row: number;
  readonly title: string;
  readonly words: string;
}

const size = { width: 178, height: 56, columnGap: 32, rowGap: 44, margin: 12 };

const x = ({ column }: Box): number => size.margin + column * (size.width + size.columnGap);
const y = ({ row }: Box): number => size.margin + row * (size.height + size.rowGap);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const boxForm = /^box (\w+) (\d+) (\d+) (.+?) \| (.+)$/;
const arrowForm = /^arrow (\w+) (\w+)$/;

const boxesOf = (lines: readonly string[]): ReadonlyMap<string, Box> =>
  new Map(
    lines.flatMap(line => {
      const [, name = '', column, row, title = '', words = ''] = boxForm.exec(line) ?? [];
      if (name === '') return [];
      return [[name, { name, column: Number(column), row: Number(row), title, words }] as const];
    }),
  );

/** What is neither empty nor a comment. */
const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter(line => line.trim() !== '' && !line.startsWith('#'));

/** The boxes that a line without a box joins. */
const endsOf = (line: string, boxes: ReadonlyMap<string, Box>): readonly [Box, Box] => {
  const [, from = '', to = ''] = arrowForm.exec(line) ?? [];
  const ends = [boxes.get(from), boxes.get(to)] as const;
  if (!ends[0] || !ends[1])
    throw new Error(`This line is no box, and no arrow between boxes: ${line}`);
  return [ends[0], ends[1]];
};

const drawnBox = (box: Box): string => {
  const left = x(box);
  const top = y(box);
  const middle = left + size.width / 2;
  return [
    `<rect x="${left}" y="${top}" width="${size.width}" height="${size.height}" rx="8"/>`,
    `<text class="title" x="${middle}" y="${top + 24}">${escaped(box.title)}</text>`,
    `<text x="${middle}" y="${top + 42}">${escaped(box.words)}</text>`,
  ].join('\n');
};

/** From the side or edge of one box to that of the other. */
const drawnArrow = (from: Box, to: Box): string => {
  const sideways = Math.sign(to.column - from.column);
  const down = Math.sign(to.row - from.row);
  const point = (box: Box, across: number, along: number): string =>
    `${x(box) + (size.width / 2) * (1 + across)} ${y(box) + (size.height / 2) * (1 + along)}`;
  const path =
    sideways !== 0 && down !== 0
      ? `M ${point(from, sideways * 0.6, down)} L ${point(to, -sideways * 0.6, -down)}`
      : `M ${point(from, sideways, down)} L ${point(to, -sideways, -down)}`;
  return `<path d="${path}" marker-end="url(#head)"/>`;
};

const style = `
text { font: 12px system-ui, sans-serif; text-anchor: middle; fill: #57606a; }
.title { font-size: 14px; font-weight: 600; fill: #1f2328; }
rect { fill: #f6f8fa; stroke: #8c959f; }
path { fill: none; stroke: #57606a; stroke-width: 1.5; }
marker path { fill: #57606a; stroke: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1; }
  .title { fill: #f0f6fc; }
  rect { fill: #151b23; stroke: #656c76; }
  path { stroke: #9198a1; }
  marker path { fill: #9198a1; }
}`;

/**
 * The picture of a text with boxes and arrows; its colours follow the reader's.
 *
 * @throws when a line is neither, or an arrow joins what is no box
 */
export const architecture = (text: string): string => {
  const lines = linesOf(text);
  const boxes = boxesOf(lines);
  const arrows = lines
    .filter(line => !boxForm.test(line))
    .map(line => drawnArrow(...endsOf(line, boxes)));
  const all = [...boxes.values()];
  const width = Math.max(...all.map(x)) + size.width + size.margin;
  const height = Math.max(...all.map(y)) + size.height + size.margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" ` +
      'aria-label="How a message goes from a producer to a consumer">',
    `<style>${style}\n</style>`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" ' +
      'markerHeight="7" orient="auto"><path d="M 0 0 L 8 4 L 0 8 z"/></marker></defs>',
    ...all.map(drawnBox),
    ...arrows,
    '</svg>',
    '',
  ].join('\n');
};
