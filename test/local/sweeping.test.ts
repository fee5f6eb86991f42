import { startSweeping } from '../../lib/local/engines.ts';

test('expired items are deleted again at once while a sweep was full, and stay swept after an error', () => {
  jest.useFakeTimers();
  const results = [true, true, false, 'error', false] as const;
  const warnings: string[] = [];
  let sweeps = 0;
  const removeExpired = (max: number): number => {
    const result = results[sweeps];
    expect(max).toBe(100);
    sweeps += 1;
    if (result === 'error') throw new Error('a bug');
    return result ? max : max - 1;
  };
  const end = startSweeping({ removeExpired }, { warn: line => warnings.push(line) });
  jest.advanceTimersByTime(9_999);
  expect(sweeps).toBe(0);
  jest.advanceTimersByTime(2);
  expect(sweeps).toBe(2);
  jest.advanceTimersByTime(1);
  jest.advanceTimersByTime(9_000);
  expect(sweeps).toBe(3);
  jest.advanceTimersByTime(1_000);
  expect([sweeps, warnings]).toEqual([4, ['dynamodb  a bug']]);
  end();
  jest.advanceTimersByTime(60_000);
  expect(sweeps).toBe(4);
  jest.useRealTimers();
});
