import {
  DayClock,
  dayOf,
  derivedId,
  houseIds,
  localDate,
  localText,
} from '../../../lib/kit/newsroom/day.ts';

const uuid8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('names give a UUID of version 8, the same names the same one', () => {
  const made = Array.from({ length: 64 }, (_, at) => derivedId('message', `${at}`));
  expect(made.filter(id => !uuid8.test(id))).toEqual([]);
  expect(new Set(made).size).toBe(64);
  expect(derivedId('message', '7')).toBe(made[7]);
  expect(derivedId('a', 'b')).not.toBe(derivedId('a,b'));
});

// printf '["message","0"]' | sha256sum: 38e367783713c1e95963f445c25f4711…
test.each([
  ['0', '38e36778-3713-81e9-9963-f445c25f4711'],
  ['3', 'd06e1fde-b179-8915-af9d-901fe584bd49'],
])('the id of "message" and "%s" is their digest, but for version and variant', (name, id) => {
  expect(derivedId('message', name)).toBe(id);
});

test('ids of the house are different for whatever is named in them', () => {
  const ids = [
    houseIds.correlation('s'),
    houseIds.correlation('t'),
    houseIds.link('k', 'a', 'd'),
    houseIds.link('l', 'a', 'd'),
    houseIds.link('k', 'b', 'd'),
    houseIds.link('k', 'a', 'e'),
    houseIds.telling('s'),
    houseIds.telling('t'),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  expect(houseIds.asset('s', 'map')).toBe('s/map');
});

test.each([
  ['2026-05-04', '2026-05-04T05:05:00Z'],
  ['2026-12-04', '2026-12-04T06:05:00Z'],
])('a time of the day %s is that of the clocks in Halmere', (date, utc) => {
  const day = dayOf(date);
  const time = day?.at('06:05') ?? 0;
  expect(time).toBe(Date.parse(utc));
  expect([localText(time), localDate(time)]).toEqual([`${date} 06:05:00`, date]);
  expect(day?.date).toBe(date);
  expect(day?.storyId('ferry')).toBe(`ferry.day-${date.replaceAll('-', '')}`);
});

test.each(['2026-02-30', '2026-13-01', '2026-5-4', 'today', '2026-05-04T00'])(
  'there is no day %s',
  date => {
    expect(dayOf(date)).toBeUndefined();
  },
);

describe('the clock of a day', () => {
  const clockOf = (speed: number) => {
    let now = 1_000;
    const slept: number[] = [];
    const sleep = async (milliseconds: number) => {
      await new Promise(setImmediate);
      slept.push(milliseconds);
      now += milliseconds;
    };
    const clock = new DayClock({ now: () => now, sleep }, speed, 50_000);
    return { clock, slept };
  };
  const { signal } = new AbortController();

  test('passes as fast as it is said to', async () => {
    const { clock, slept } = clockOf(10);
    await clock.until(51_000, signal);
    expect([slept, clock.now()]).toEqual([[100], 51_000]);
  });

  test('waits no longer than it may, and not for what is over', async () => {
    const { clock, slept } = clockOf(1);
    await clock.until(60_000, signal, 4_000);
    await clock.until(54_000, signal);
    await clock.until(50_000, signal);
    expect([slept, clock.now()]).toEqual([[4_000], 54_000]);
    await clock.until(54_001, signal);
    expect(slept).toEqual([4_000, 1]);
  });

  test('can be set to another time, from which it goes on', async () => {
    const { clock } = clockOf(10);
    await clock.until(51_000, signal);
    clock.set(80_000);
    expect(clock.now()).toBe(80_000);
    await clock.until(82_000, signal);
    expect(clock.now()).toBe(82_000);
  });
});
