import { placeOf } from '../../web/validate/place.ts';

const text = `{
  "a": {"b": [1, {"c/d": "x\\"}"}, []]},
  "~e": null,
  "f": -1.5e3
}`;

const shown = (pointer: string) => {
  const place = placeOf(text, pointer);
  return place && [place.line, text.slice(place.from, place.to)];
};

test.each([
  ['/a/b/0', [2, '1']],
  ['/a/b/1/c~1d', [2, '"x\\"}"']],
  ['/a/b', [2, '[1, {"c/d": "x\\"}"}, []]']],
  ['/~0e', [3, 'null']],
  ['/f', [4, '-1.5e3']],
])('%s leads to its value', (pointer, place) => {
  expect(shown(pointer)).toEqual(place);
});

test.each([
  ['/missing', [1, '{']],
  ['/a/missing/deeper', [2, '{']],
  ['/a/b/7', [2, '[']],
])('%s is missing: it leads to what lacks it', (pointer, place) => {
  expect(shown(pointer)).toEqual(place);
});

test.each(['', '/a'])('no text leads anywhere from %j', pointer => {
  expect(placeOf('', pointer)).toBeUndefined();
  expect(placeOf('not json', pointer)).toBeUndefined();
});

test('a broken or deep text ends the search', () => {
  expect(placeOf('{"a": {"b": "', '/a/b')).toMatchObject({ line: 1 });
  expect(placeOf('{"a', '/b')).toMatchObject({ from: 0 });
  expect(placeOf(`{"a": ${'['.repeat(100_000)}, "b": 1}`, '/b')).toMatchObject({ from: 0 });
});
