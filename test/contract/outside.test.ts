import { limits } from '../../lib/contract/limits.ts';
import {
  defined,
  fitting,
  folded,
  iso,
  partOf,
  randomName,
  utcDay,
} from '../../lib/contract/outside.ts';

const idOf = ({ id }: { readonly id: string }) => id;
const all = ['a', 'b', 'c'].map(id => ({ id }));

describe('a part of a list', () => {
  test.each<[string, Parameters<typeof partOf>[1], string, string | undefined]>([
    ['the whole of it', { max: 3 }, 'abc', undefined],
    ['its beginning', { max: 2 }, 'ab', 'b'],
    ['what comes after an entry', { max: 1, after: 'a' }, 'b', 'b'],
    ['its end', { max: 2, after: 'b' }, 'c', undefined],
    ['nothing after the last one', { max: 2, after: 'c' }, '', undefined],
  ])('%s', (_what, part, ids, next) => {
    const found = partOf(all, part, idOf);
    expect(found.entries.map(idOf).join('')).toBe(ids);
    expect(found).toEqual({ entries: found.entries, ...defined({ next }) });
  });
});

describe('what fits into a response', () => {
  /** An entry of so many bytes in a list of JSON, with its comma. */
  const entryOf = (id: string, bytes: number) => {
    const frame = JSON.stringify({ id, text: '' }).length + 1;
    return { id, text: 'x'.repeat(bytes - frame) };
  };
  const half = limits.listBytes / 2;

  test('is all of it, up to the limit', () => {
    const entries = [entryOf('a', half), entryOf('b', half)];
    expect(fitting({ entries }, idOf)).toEqual({ entries });
    expect(fitting({ entries, next: 'later' }, idOf)).toEqual({ entries, next: 'later' });
  });

  test('goes on after the last entry that fits', () => {
    const entries = [entryOf('a', half), entryOf('b', half), entryOf('c', 100)];
    const { entries: first, next } = fitting({ entries, next: 'later' }, idOf);
    expect([first.map(idOf), next]).toEqual([['a', 'b'], 'b']);
  });

  test('is one entry at least', () => {
    const entries = [entryOf('a', 2 * limits.listBytes), entryOf('b', 100)];
    const { entries: first, next } = fitting({ entries }, idOf);
    expect([first.map(idOf), next]).toEqual([['a'], 'a']);
  });

  test('is counted in bytes, not in characters', () => {
    const entries = ['a', 'b'].map(id => ({ id, text: 'é'.repeat(half / 2) }));
    expect(fitting({ entries }, idOf).entries).toHaveLength(1);
  });
});

test('names, times and texts have one form', () => {
  const ids = { random: (bytes: number) => new Uint8Array(bytes).fill(255) };
  expect(randomName(ids)).toBe('_'.repeat(16));
  const time = Date.parse('2026-05-04T23:59:59.999Z');
  expect([iso(time), utcDay(time), utcDay(time + 1)]).toEqual([
    '2026-05-04T23:59:59.999Z',
    '2026-05-04',
    '2026-05-05',
  ]);
  expect(['Straße', 'ΣΊΣΥΦΟΣ', 'ｆｕｌｌ', 'e\u0301'].map(folded)).toEqual(
    ['STRASSE', 'σίσυφος', 'full', 'é'].map(folded),
  );
  expect(defined({ a: undefined, b: 0, c: '' })).toEqual({ b: 0, c: '' });
});
