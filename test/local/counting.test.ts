import fc from 'fast-check';
import { countRequest } from '../../lib/bus/tokens/issue-token.ts';
import {
  type BucketLevel,
  countOfDay,
  type DailyCount,
  takeToken,
} from '../../lib/local/gateway-limits.ts';

const start = Date.parse('2026-05-04T23:59:59.000Z');

describe('a token bucket', () => {
  const bucket = { perSecond: 10, burst: 20 };
  const takeMany = (count: number, level: BucketLevel | undefined, now: number) => {
    let allowed = 0;
    for (let request = 0; request < count; request += 1) {
      const taken = takeToken(bucket, level, now);
      level = taken.level;
      allowed += taken.allowed ? 1 : 0;
    }
    return { allowed, level };
  };

  test('allows its burst at once and no more', () => {
    expect(takeMany(25, undefined, start).allowed).toBe(20);
  });

  test('refills at its rate, up to the burst', () => {
    const { level } = takeMany(25, undefined, start);
    expect(takeMany(25, level, start + 500).allowed).toBe(5);
    expect(takeMany(25, level, start + 60_000).allowed).toBe(20);
  });

  test('gives the exact wait: a request after it is allowed, one a millisecond earlier is not', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 200 }),
        (burst, perSecond) => {
          let taken = takeToken({ burst, perSecond }, undefined, start);
          while (taken.waitMilliseconds === 0)
            taken = takeToken({ burst, perSecond }, taken.level, start);
          const waited = (milliseconds: number) =>
            takeToken({ burst, perSecond }, taken.level, start + milliseconds).allowed;
          expect([waited(taken.waitMilliseconds - 1), waited(taken.waitMilliseconds)]).toEqual([
            false,
            true,
          ]);
        },
      ),
    );
  });

  test('gains nothing from a clock that goes back', () => {
    const { level } = takeMany(20, undefined, start);
    expect(takeMany(5, takeMany(1, level, start - 10_000).level, start).allowed).toBe(0);
  });
});

describe('a sliding window', () => {
  const window = { requests: 3, seconds: 60 };

  test('counts the requests of the last seconds, and gives the time until the oldest expires', () => {
    let times: readonly number[] = [];
    for (const second of [0, 10, 20])
      times = countRequest(window, times, start + second * 1000).times;
    expect(countRequest(window, times, start + 30_000)).toEqual({
      allowed: false,
      times,
      waitMilliseconds: 30_000,
    });
    expect(countRequest(window, times, start + 59_999).allowed).toBe(false);
    expect(countRequest(window, times, start + 60_000)).toMatchObject({ allowed: true });
  });
});

describe('a daily count', () => {
  test('ends at midnight UTC', () => {
    let count: DailyCount | undefined;
    for (let request = 0; request < 3; request += 1) count = countOfDay(3, count, start).count;
    expect(countOfDay(3, count, start)).toMatchObject({
      allowed: false,
      count,
      resetMilliseconds: 1000,
    });
    expect(countOfDay(3, count, start + 1000)).toMatchObject({
      allowed: true,
      count: { requests: 1 },
    });
  });
});
