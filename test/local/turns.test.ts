import { limitConcurrency } from '../../lib/local/functions.ts';
import { deferred } from '../support/deferred.ts';

/** Tasks that record when they begin, and end when told to. */
const tasks = (max: number) => {
  const inTurn = limitConcurrency(max);
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => deferred<void>());
  const done = ends.map((end, index) =>
    inTurn(async () => {
      begun.push(index);
      await end.promise;
      return index;
    }),
  );
  const finish = async (index: number) => {
    ends[index]?.resolve();
    return done[index];
  };
  return { begun, finish };
};

test('runs at most the given number of tasks at once, the others in order of arrival', async () => {
  const { begun, finish } = tasks(2);
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  expect(await finish(1)).toBe(1);
  expect(begun).toEqual([0, 1, 2]);
  expect(await finish(2)).toBe(2);
  expect(await finish(0)).toBe(0);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

test('a failed task frees its slot', async () => {
  const inTurn = limitConcurrency(1);
  await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await inTurn(async () => 'next')).toBe('next');
});
