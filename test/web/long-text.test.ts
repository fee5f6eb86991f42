import { indented } from '../../web/message/indented.ts';
import { changesBetween } from '../../web/page/changes.ts';
import { shortLines } from '../../web/page/short-lines.ts';

const shown = (text: string): readonly string[] => shortLines(text).map(line => line.shown);

/** What the second text is, made from the first and what changed. */
const changed = (before: string, after: string): string => {
  let [at, text] = [0, ''];
  for (const { fromA, toA, fromB, toB } of changesBetween(before, after)) {
    text += before.slice(at, fromA) + after.slice(fromB, toB);
    at = toA;
  }
  return text + before.slice(at);
};

describe('long texts', () => {
  test('lines of ordinary length stay as they are', () => {
    const text = `{\n  "a": "${'word '.repeat(150)}"\r\n}\r\n`;
    expect(shown(text)).toEqual(['{', `  "a": "${'word '.repeat(150)}"`, '}', '']);
    expect(shortLines(text).map(({ number, isContinued }) => [number, isContinued])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [4, false],
    ]);
  });

  test.each([
    ['one word', 'x'.repeat(230_000)],
    ['escapes', '\\\\\\"\\u0041'.repeat(20_000)],
    ['pairs of surrogates', '🎬'.repeat(20_000)],
    ['characters that turn the direction', '\u202e\u2066'.repeat(30_000)],
    ['an escape that is cut off', `${'x'.repeat(2_000)}\\u00`],
  ])('%s in one line are shown in pieces that are together the same', (_what, text) => {
    const lines = shortLines(text);
    expect(lines.map(line => line.shown).join('')).toBe(text);
    expect(lines.map(({ from, shown: { length } }) => text.slice(from, from + length))).toEqual(
      shown(text),
    );
    expect(Math.max(...lines.map(line => line.shown.length))).toBeLessThanOrEqual(126);
    expect(lines.map(({ number, isContinued }) => isContinued && number === 1)).toEqual(
      lines.map((_line, at) => at > 0),
    );
  });

  test('no piece begins within an escape or a pair, which would change its colours or its signs', () => {
    expect(shown('\\u0041'.repeat(1_000)).every(piece => /^(?:\\u0041)+$/.test(piece))).toBe(true);
    expect(shown('\\\\'.repeat(1_000)).every(piece => piece.length % 2 === 0)).toBe(true);
    expect(shown('🎬'.repeat(1_000)).every(piece => /^(?:🎬)+$/u.test(piece))).toBe(true);
  });

  test('a piece has few characters that are shown as signs of their own: each is an element', () => {
    const most = Math.max(...shown('\u202e'.repeat(5_000)).map(piece => piece.length));
    expect(most).toBeLessThanOrEqual(15);
  });

  test('ten thousand levels are not moved ten thousand times to the right', () => {
    const lines = indented(`${'['.repeat(10_000)}1${']'.repeat(10_000)}`).split('\n');
    expect(lines).toHaveLength(20_001);
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(130);
  });

  const words = Array.from({ length: 30_000 }, (_none, at) => `word${at % 977}`);
  test.each([
    ['short ones', '{\n  "a": 1\n}', '{\n  "a": 2,\n  "b": 3\n}'],
    ['a word in a long text', words.join('\n'), words.with(20_000, 'another').join('\n')],
    ['lines that are there many times', 'x\n'.repeat(50_000), `y\n${'x\n'.repeat(40_000)}z`],
    ['all of it', words.join('\n'), [...words].reverse().join('\n')],
    ['nothing', words.join('\n'), words.join('\n')],
    ['one long line', 'x'.repeat(200_000), `y ${'x'.repeat(190_000)}`],
    ['all, to nothing', words.join('\n'), ''],
  ])('what changed leads from one text to the other: %s', (_what, before, after) => {
    expect(changed(before, after)).toBe(after);
  });

  test('in long texts the changed word is found too', () => {
    const [change, ...others] = changesBetween(
      words.join('\n'),
      words.with(20_000, 'another').join('\n'),
    );
    expect([change?.toB, others]).toEqual([(change?.fromB ?? 0) + 'another'.length, []]);
  });
});
