import {
  errorCode,
  errorMessage,
  localAccount,
  readArrived,
  systemClock,
} from '../../../lib/local/engines/machine.ts';

test.each<[unknown, string]>([
  [new Error('a'), 'a'],
  // As from another thread.
  [{ message: 'b' }, 'b'],
  [{ message: 5 }, '[object Object]'],
  ['c', 'c'],
  [undefined, 'undefined'],
])('what is thrown has a message: %p', (thrown, message) => {
  expect(errorMessage(thrown)).toBe(message);
});

test.each<[unknown, string | undefined]>([
  [Object.assign(new Error('a'), { code: 'ENOSPC' }), 'ENOSPC'],
  [{ code: 5 }, undefined],
  [new Error('a'), undefined],
  ['ENOSPC', undefined],
])('what is thrown may have a code: %p', (thrown, code) => {
  expect(errorCode(thrown)).toBe(code);
});

test('what had arrived is read when the event loop went round three times', async () => {
  let rounds = 0;
  const count = () => {
    rounds += 1;
    if (rounds < 10) setImmediate(count);
  };
  setImmediate(count);
  await readArrived();
  expect(rounds).toBe(3);
});

test('the clock of the machine tells its time, and does a task once, unless it is cancelled', () => {
  const before = Date.now();
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  expect(systemClock.now()).toBeLessThanOrEqual(Date.now());
  jest.useFakeTimers();
  const done: string[] = [];
  systemClock.after(5, () => done.push('a'));
  systemClock.after(5, () => done.push('b'))();
  jest.advanceTimersByTime(4);
  expect(done).toEqual([]);
  jest.advanceTimersByTime(100);
  expect(done).toEqual(['a']);
  jest.useRealTimers();
});

test('the account is one that AWS gives to nobody', () => {
  expect(localAccount).toEqual({ account: '000000000000', region: 'us-east-1' });
});
