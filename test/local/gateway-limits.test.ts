import type { Connection } from '../../lib/access/registry/connection.ts';
import { openStore } from '../../lib/local/engines/store.ts';
import {
  countOfDay,
  gatewayLimits,
  takeToken,
  usageNoteIn,
} from '../../lib/local/gateway-limits.ts';
import { producer } from '../corpus/connections.ts';
import { deferred } from '../support/deferred.ts';

const day = 20_577;
const start = Date.parse('2026-05-04T23:59:50.000Z');
const one = producer({ id: 'cone', quota: { perSecond: 2, burst: 3, perDay: 9 } });
const other = producer({ id: 'cother', quota: { perSecond: 2, burst: 3, perDay: 2 } });
const here = '192.0.2.1';

/** Limits on a clock of their own, and what they write, look up and tell. */
const set = (before: unknown = {}) => {
  const clock = { now: start };
  const saves: object[] = [];
  const note = {
    read: () => before,
    write: (value: object) => void saves.push(structuredClone(value)),
  };
  const known = [one, other];
  const connection = jest.fn(async (id: string) => known.find(each => each.id === id));
  const told: [string, number][] = [];
  const writing = { end: Promise.resolve() };
  const limited = async ({ id }: Connection, requests: number) => {
    told.push([id, requests]);
    await writing.end;
  };
  const limits = gatewayLimits({ registry: { connection }, limited }, note, () => clock.now);
  const charge = (id: string) => limits.charge('publish', id, here);
  return { clock, saves, connection, told, writing, limits, charge };
};

/** Lets go on what waits for nothing but promises that are resolved. */
const settled = () => new Promise(resolve => setImmediate(resolve));

describe('one request', () => {
  test('is counted for its day, and tells what was used before and how long the day is', () => {
    expect(countOfDay(2, undefined, start)).toEqual({
      allowed: true,
      used: 0,
      count: { day, requests: 1 },
      resetMilliseconds: 10_000,
    });
    expect(countOfDay(2, { day, requests: 2 }, start)).toEqual({
      allowed: false,
      used: 2,
      count: { day, requests: 2 },
      resetMilliseconds: 10_000,
    });
    expect(countOfDay(2, { day, requests: 2 }, start + 10_000)).toEqual({
      allowed: true,
      used: 0,
      count: { day: day + 1, requests: 1 },
      resetMilliseconds: 86_400_000,
    });
  });

  test('takes a token, and tells how long the next one waits', () => {
    const bucket = { perSecond: 4, burst: 2 };
    expect(takeToken(bucket, undefined, start)).toEqual({
      allowed: true,
      level: { tokens: 1, at: start },
      waitMilliseconds: 0,
    });
    expect(takeToken(bucket, { tokens: 0.5, at: start }, start + 100)).toEqual({
      allowed: false,
      level: { tokens: 0.9, at: start + 100 },
      waitMilliseconds: 25,
    });
    expect(takeToken(bucket, { tokens: 0, at: start }, start + 250)).toEqual({
      allowed: true,
      level: { tokens: 0, at: start + 250 },
      waitMilliseconds: 250,
    });
    expect(takeToken(bucket, { tokens: 1, at: start }, start - 1_000)).toEqual({
      allowed: true,
      level: { tokens: 0, at: start },
      waitMilliseconds: 250,
    });
  });
});

describe('of addresses', () => {
  const isRefused = ({ limits }: ReturnType<typeof set>, address: string): boolean =>
    limits.admit(undefined, { address, path: '/' }) !== undefined;

  test('ten thousand are remembered, and the one that was silent longest is forgotten first', () => {
    const here = set();
    let strangers = 0;
    const admitStrangers = (count: number) => {
      const before = strangers;
      while (strangers < before + count && !isRefused(here, `stranger ${strangers}`))
        strangers += 1;
      expect(strangers).toBe(before + count);
    };
    for (let sent = 0; sent < 600; sent += 1) expect(isRefused(here, 'busy')).toBe(false);
    admitStrangers(9_999);
    expect(isRefused(here, 'busy')).toBe(true);
    admitStrangers(9_999);
    expect(isRefused(here, 'busy')).toBe(true);
    admitStrangers(10_000);
    expect(isRefused(here, 'busy')).toBe(false);
  });

  test('each is told what is left to it of the last minute', async () => {
    const { clock, limits, charge } = set();
    const addressIn = async () => (await charge('cone')).headers['ratelimit']?.split(', ').at(-1);
    expect(await addressIn()).toBe('"address";r=600;t=0');
    limits.admit(undefined, { address: here, path: '/' });
    clock.now += 59_000;
    limits.admit(undefined, { address: here, path: '/' });
    expect(await addressIn()).toBe('"address";r=598;t=1');
    clock.now += 1_000;
    expect(await addressIn()).toBe('"address";r=599;t=59');
  });
});

test('what the portal is asked leaves the whole API of the bus to others', () => {
  const { limits } = set();
  const sender = { address: here, path: '/' };
  for (let sent = 0; sent < 20; sent += 1)
    expect(limits.admit('skill-library', sender)).toBeUndefined();
  for (let sent = 0; sent < 400; sent += 1) expect(limits.admit('health', sender)).toBeUndefined();
  expect(limits.admit('health', sender)).toEqual({ rule: 'rate.limited', waitMilliseconds: 5 });
});

test('of a sign-in, only the address that signs in is limited', () => {
  const { clock, limits } = set();
  const signIn = (path: string) => limits.admit('portal-call', { address: here, path });
  for (let sent = 0; sent < 20; sent += 1, clock.now += 1_000)
    expect(signIn('/api/sign/in')).toBeUndefined();
  expect(signIn('//api/sign//in')).toEqual({ rule: 'rate.limited', waitMilliseconds: 280_000 });
  for (let sent = 0; sent < 100; sent += 1, clock.now += 1_000)
    expect(limits.admit('token', { address: 'token', path: '/' })).toBeUndefined();
  expect(limits.admit('token', { address: 'token', path: '/' })).toEqual({
    rule: 'rate.limited',
    waitMilliseconds: 200_000,
  });
});

describe('a connection', () => {
  test('is charged for what its requests count, and told what is left', async () => {
    const { charge, connection, told } = set();
    const policy = '"burst";q=3;w=2, "day";q=9;w=86400, "address";q=600;w=60';
    const headers = (ratelimit: string) => ({ 'ratelimit-policy': policy, ratelimit });
    expect(await charge('cone')).toEqual({
      headers: headers('"burst";r=2;t=1, "day";r=8;t=10, "address";r=600;t=0'),
    });
    await charge('cone');
    await charge('cone');
    const spent = headers('"burst";r=0;t=2, "day";r=6;t=10, "address";r=600;t=0');
    const refused = await charge('cone');
    expect(refused.headers).toEqual(spent);
    expect(refused.refusal).toMatchObject({
      status: 429,
      headers: { ...spent, 'retry-after': '1' },
      log: { rule: 'rate.limited' },
    });
    expect(connection.mock.calls).toEqual([['cone'], ['cone'], ['cone'], ['cone']]);
    expect(told).toEqual([['cone', 1]]);
  });

  test('is refused for the rest of the day once its quota is used', async () => {
    const { clock, charge, limits } = set();
    await charge('cother');
    await charge('cother');
    clock.now += 4_000;
    const { refusal } = await charge('cother');
    expect(refusal).toMatchObject({
      status: 429,
      headers: { 'retry-after': '6' },
      log: { rule: 'quota.exceeded' },
    });
    expect([limits.usedToday('cother'), limits.usedToday('cone')]).toEqual([2, 0]);
    clock.now += 6_000;
    expect(limits.usedToday('cother')).toBe(0);
    expect(await charge('cother')).not.toHaveProperty('refusal');
  });

  test('is not charged where nothing counts, nor is anybody else', async () => {
    const { limits, connection, saves } = set();
    expect(await limits.charge('health', 'cone', here)).toEqual({ headers: {} });
    expect(await limits.charge('publish', undefined, here)).toEqual({ headers: {} });
    expect(connection).not.toHaveBeenCalled();
    expect(await limits.charge('publish', 'cunknown', here)).toEqual({ headers: {} });
    limits.save();
    expect(saves).toEqual([{}]);
  });

  test('whose requests are refused while a note of it is written gets one more note for them', async () => {
    const { charge, told, writing, clock } = set();
    const first = deferred<void>();
    writing.end = first.promise;
    const refused = async (id: string, times: number) => {
      for (let sent = 0; sent < times; sent += 1)
        expect(await charge(id)).toHaveProperty('refusal');
    };
    for (let sent = 0; sent < 3; sent += 1) await charge('cone');
    await refused('cone', 1);
    await refused('cone', 4);
    for (let sent = 0; sent < 2; sent += 1) await charge('cother');
    await refused('cother', 1);
    expect(told).toEqual([
      ['cone', 1],
      ['cother', 1],
    ]);
    writing.end = Promise.resolve();
    first.resolve();
    await settled();
    expect(told.slice(2)).toEqual([['cone', 4]]);
    clock.now += 1;
    await refused('cone', 1);
    await settled();
    expect(told.slice(3)).toEqual([['cone', 1]]);
  });
});

describe('the counts of the day', () => {
  test('are written once a second at most, and when the service ends', async () => {
    const { clock, charge, saves, limits } = set();
    await charge('cone');
    clock.now += 999;
    await charge('cone');
    expect(saves).toEqual([]);
    clock.now += 1;
    await charge('cone');
    expect(saves).toEqual([{ cone: { day, requests: 3 } }]);
    clock.now += 999;
    await charge('cone');
    expect(saves).toHaveLength(1);
    limits.save();
    expect(saves.slice(1)).toEqual([{ cone: { day, requests: 4 } }]);
    clock.now += 999;
    await charge('cone');
    expect(saves).toHaveLength(2);
  });

  test('go on from what was written, as far as that is whole', async () => {
    const whole = { day, requests: 4 };
    const { limits, saves, charge } = set({
      cone: whole,
      ctext: 'a',
      cnull: null,
      cday: { requests: 4 },
      crequests: { day },
      chalf: { day, requests: 1.5 },
    });
    expect(limits.usedToday('cone')).toBe(4);
    await charge('cone');
    limits.save();
    expect(saves).toEqual([{ cone: { day, requests: 5 } }]);
  });

  test.each([null, 'damaged', 7])('begin at nothing if %j was written', damaged => {
    const { limits, saves } = set(damaged);
    limits.save();
    expect(saves).toEqual([{}]);
  });

  test('are forgotten with all limits, in the note too', async () => {
    const { limits, charge, saves } = set({ cone: { day, requests: 4 } });
    for (let sent = 0; sent < 3; sent += 1) await charge('cone');
    limits.forget();
    expect(saves).toEqual([{}]);
    expect(limits.usedToday('cone')).toBe(0);
    expect(await charge('cone')).not.toHaveProperty('refusal');
  });

  test('are kept in the store of the service', async () => {
    const store = openStore();
    expect(usageNoteIn(store).read()).toEqual({});
    usageNoteIn(store).write({ cone: { day, requests: 4 } });
    usageNoteIn(store).write({ cone: { day, requests: 5 } });
    expect(usageNoteIn(store).read()).toEqual({ cone: { day, requests: 5 } });
    await store.close();
  });
});
