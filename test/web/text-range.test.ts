import { rangeOf } from '../../web/validate/text-range.ts';

const text = `{
  "a": {"b": [1, {"c/d": "x\\"}"}, []]},
  "~e": null,
  "f": -1.5e3
}`;

const shown = (pointer: string) => {
  const range = rangeOf(text, pointer);
  return range && [range.line, text.slice(range.from, range.to)];
};

test.each([
  ['/a/b/0', [2, '1']],
  ['/a/b/1/c~1d', [2, '"x\\"}"']],
  ['/a/b', [2, '[1, {"c/d": "x\\"}"}, []]']],
  ['/~0e', [3, 'null']],
  ['/f', [4, '-1.5e3']],
])('%s leads to its value', (pointer, range) => {
  expect(shown(pointer)).toEqual(range);
});

test.each([
  ['/missing', [1, '{']],
  ['/a/missing/deeper', [2, '{']],
  ['/a/b/7', [2, '[']],
])('%s is missing: it leads to what lacks it', (pointer, range) => {
  expect(shown(pointer)).toEqual(range);
});

test.each(['', '/a'])('no text leads anywhere from %j', pointer => {
  expect(rangeOf('', pointer)).toBeUndefined();
  expect(rangeOf('not json', pointer)).toBeUndefined();
});

test('a broken or deep text ends the search', () => {
  expect(rangeOf('{"a": {"b": "', '/a/b')).toMatchObject({ line: 1 });
  expect(rangeOf('{"a', '/b')).toMatchObject({ from: 0 });
  expect(rangeOf(`{"a": ${'['.repeat(100_000)}, "b": 1}`, '/b')).toMatchObject({ from: 0 });
});
