import {
  afterLimit,
  afterPull,
  afterRequest,
  type Pace,
  paceFrom,
  pauseBefore,
} from '../../../lib/kit/client/pace.ts';

const start = Date.parse('2026-05-04T09:00:00Z');
const minute = 60_000;

/** One request a second. */
const fresh = paceFrom(60, start);

const times = (count: number, change: (pace: Pace) => Pace, pace: Pace): Pace =>
  count === 0 ? pace : times(count - 1, change, change(pace));

/** Has used up its budget at the start. */
const spent = times(3, pace => afterRequest(pace, start), afterPull(fresh, 10, 0, start));

const expectPause = (pace: Pace, requests: number, now: number, milliseconds: number) =>
  expect(pauseBefore(pace, requests, now)).toBeCloseTo(milliseconds, 4);

test('after silence, three requests and ten messages may go at once', () => {
  expectPause(fresh, 3.2, start, 0);
  expectPause(fresh, 4.2, start, 1_000);
  expectPause(fresh, 4.2, start + 10 * minute, 1_000);
  expectPause(spent, 1, start, 1_000);
  expectPause(spent, 2, start + 500, 1_500);
});

test('fifty messages cost as much as one request', () => {
  expectPause(afterPull(spent, 50, 0, start), 1, start, 2_000);
  expectPause(afterRequest(spent, start), 1, start, 2_000);
});

test('what cannot wait is saved afterwards, up to the requests of a minute', () => {
  expectPause(
    times(59, pace => afterRequest(pace, start), spent),
    1,
    start,
    minute,
  );
  expectPause(
    times(90, pace => afterRequest(pace, start), spent),
    1,
    start,
    minute + 1_000,
  );
});

test.each([
  ['thirty seconds', 30_000, 1_000],
  ['a minute', 60_000, 500],
  ['two minutes', 120_000, 250],
  ['an hour', 3_600_000, 250],
])('a consumer whose messages are older than %s goes faster, up to four times', (_, lag, pause) => {
  const lagging = afterPull(spent, 0, lag, start);
  expectPause(lagging, 1, start, pause);
  expectPause(lagging, 2, start + pause, pause);
  expectPause(afterPull(lagging, 0, 0, start), 1, start, 1_000);
});

test('each 429 leaves four fifths of the speed, at least a quarter, and no budget', () => {
  const limited = (count: number) => times(count, pace => afterLimit(pace, start), fresh);
  expectPause(limited(1), 1, start, 1_250);
  expectPause(limited(1), 1, start + 625, 625);
  expectPause(limited(2), 1, start, 1_562.5);
  expectPause(limited(6), 1, start, 1_000 / 0.8 ** 6);
  expectPause(limited(7), 1, start, 4_000);
  expectPause(afterLimit(afterRequest(spent, start), start), 1, start, 2_500);
});

test('five minutes after a 429 it goes at full speed, and the next one counts as the first', () => {
  const limited = afterLimit(fresh, start);
  const over = start + 5 * minute;
  expectPause(limited, 4.2, over - 1, 1_000.2);
  expectPause(limited, 4.2, over, 1_000);
  expectPause(afterLimit(limited, over - 1), 1, over - 1, 1_562.5);
  expectPause(afterLimit(limited, over), 1, over, 1_250);
});

test('a pause that begins after a 429 and ends at full speed has both', () => {
  const limited = afterLimit(fresh, start);
  expectPause(limited, 3.2 + 1, start + 5 * minute - 500, 1_100);
});

test('what was earned after a 429 and after that has both speeds', () => {
  // A request in 200 seconds: in ten minutes, 1.2 at four fifths of the speed, and then 1.5.
  const limited = afterLimit(paceFrom(0.3, start), start);
  expectPause(limited, 3.7, start + 10 * minute, 200_000);
  expectPause(limited, 1.6, start + 5 * minute, 80_000);
});

test('a clock that is set back earns nothing', () => {
  expectPause(spent, 1, start - 1_000, 1_000);
  expectPause(afterRequest(spent, start - 1_000), 1, start, 1_000);
});

test('a consumer of a bus without limits never waits', () => {
  const free = afterRequest(paceFrom(Number.POSITIVE_INFINITY, start), start);
  expect(pauseBefore(free, 1_000, start)).toBe(0);
  const limited = afterLimit(afterPull(free, 1_000, minute, start), start);
  expect(pauseBefore(limited, 1_000, start)).toBe(0);
  // Long after a 429, it is not due in the past either.
  expect(pauseBefore(limited, 1_000, start + 3_600_000)).toBe(0);
});
