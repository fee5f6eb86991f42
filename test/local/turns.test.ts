import { turns } from '../../lib/local/functions.ts';
import { deferred } from '../../lib/local/gateway-server.ts';

/** Tasks that note their begin and end when they are told to. */
const tasks = (max: number) => {
  const inTurn = turns(max);
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

test('runs so many at once, and the others in the order in which they came', async () => {
  const { begun, finish } = tasks(2);
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  expect(await finish(1)).toBe(1);
  expect(begun).toEqual([0, 1, 2]);
  expect(await finish(2)).toBe(2);
  expect(await finish(0)).toBe(0);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

test('a task that fails ends its turn', async () => {
  const inTurn = turns(1);
  await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await inTurn(async () => 'next')).toBe('next');
});
