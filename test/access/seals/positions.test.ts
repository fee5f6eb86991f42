import { openPart, positionsOf, sealedNext } from '../../../lib/access/seals/positions.ts';
import { sealerOf } from '../../../lib/access/seals/seal.ts';
import { sealKey } from '../../support/fakes/seals.ts';

const sealer = sealerOf([sealKey('key1')], 0);
const stories = positionsOf(sealer, ['stories', 'w1']);
const { next = '' } = sealedNext(stories, 'time#k1');

test('the position after a page goes back sealed, and opens for the same list only', () => {
  expect(next).not.toContain('time');
  expect(openPart(stories, { after: next, max: 7 })).toEqual({ after: 'time#k1', max: 7 });
  const search = positionsOf(sealer, ['search', 'w1']);
  expect(openPart(search, { after: next, max: 7 })).toBeUndefined();
});

test('a list begins without a position, and its last page has none', () => {
  expect(openPart(stories, { max: 7 })).toEqual({ max: 7 });
  expect(sealedNext(stories, undefined)).toEqual({});
});
