import type { RoleConnections } from '../../../lib/kit/newsroom/actor.ts';
import { playDay } from '../../../lib/kit/newsroom/play.ts';
import type { RoleName } from '../../../lib/kit/newsroom/roles.ts';
import { script } from '../../../lib/kit/newsroom/script.ts';
import { TurnedTime } from './stage.ts';
import { dated } from './whole-day.ts';

describe('the beats of a day that is started late', () => {
  /** A time that passes when everybody waits. */
  const virtualTime = (begin: number) => {
    let now = begin;
    const time = new TurnedTime(() => now);
    const pass = async () => {
      await new Promise(setImmediate);
      now = Math.max(now, time.nextDue ?? now);
      time.wake(1);
    };
    return { time, pass };
  };

  /** A bus whose queues are empty. */
  const busesWith = (publish: () => Promise<unknown>) => {
    const consume = async function* (options: { signal: AbortSignal }) {
      await new Promise(resolve =>
        options.signal.addEventListener('abort', resolve, { once: true }),
      );
    };
    const backlog = async () => ({ outcome: 'backlog', visible: 0, inFlight: 0 });
    return { producer: { publish }, consumer: { consume, backlog } } as unknown as RoleConnections;
  };

  /**
   * When each beat is published by processes that play these roles, in seconds from the first one.
   */
  const published = async (...processes: readonly (readonly RoleName[])[]) => {
    const { time, pass } = virtualTime(Date.parse('2026-11-23T14:50:00.700Z'));
    const at: number[] = [];
    const buses = busesWith(async () => at.push(time.now()) && { outcome: 'accepted' });
    const stop = new AbortController();
    const plays = processes.map(async names => {
      const roles = new Map(names.map(name => [name, buses] as const));
      // Some processes take longer than others to start.
      await time.sleep(names.length * 1_234);
      const play = { day: dated('2026-11-23'), speed: 1, roles, time, signal: stop.signal };
      await playDay({ ...play, report: () => undefined });
    });
    const over = Promise.allSettled(plays);
    while (at.length < 10) await pass();
    stop.abort();
    await over;
    return at.slice(0, 10).map(one => (one - (at[0] ?? 0)) / 1000);
  };

  test('follow each other at five seconds, whichever role they are of', async () => {
    expect(await published(['ncs', 'mam', 'skill'])).toEqual(
      [...Array(10).keys()].map(index => index * 5),
    );
  });

  test('are five seconds apart or more where each role has a process of its own', async () => {
    const times = await published(['mam', 'skill'], ['ncs']);
    const gaps = times.slice(1).map((one, index) => one - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5);
  });

  test.each([
    ['all late beats of other processes, when it starts after the day', 1, 120],
    ['a process that started later, when it plays faster', 1000, 43 + 20],
  ])('a role that only reacts stays for %s', async (_, speed, seconds) => {
    const { time, pass } = virtualTime(Date.parse('2026-11-23T22:00:00Z'));
    const begin = time.now();
    const roles = new Map([['graphics' as const, busesWith(async () => ({}))]]);
    const play = {
      day: dated('2026-11-23'),
      speed,
      roles,
      time,
      signal: new AbortController().signal,
    };
    let isOver = false;
    const over = playDay({ ...play, report: () => undefined }).finally(() => {
      isOver = true;
    });
    while (!isOver) await pass();
    await over;
    expect(time.now() - begin).toBeGreaterThanOrEqual(seconds * 1000);
  });

  test('a day lasts until five minutes after its last beat', async () => {
    const { time, pass } = virtualTime(Date.parse('2026-11-23T22:00:00Z'));
    const begin = time.now();
    const day = dated('2026-11-23');
    const roles = new Map([['graphics' as const, busesWith(async () => ({}))]]);
    const play = { day, speed: 1000, roles, time, signal: new AbortController().signal };
    let isOver = false;
    const over = playDay({ ...play, report: () => undefined }).finally(() => {
      isOver = true;
    });
    while (!isOver) await pass();
    await over;
    const last = Math.max(...script(day).map(({ at }) => at));
    const lasts = (last + 300_000 - day.at('06:00')) / 1000;
    // Then the role stays twenty seconds for what others have still to publish.
    expect(time.now() - begin).toBeGreaterThanOrEqual(lasts + 20_000);
    expect(time.now() - begin).toBeLessThan(lasts + 20_100);
  });

  /**
   * How long after its start a newsroom that plays another day publishes its next message, when so
   * many of its beats are on the bus already, and how long after six that is: in minutes.
   */
  const nextAfter = async (count: number) => {
    const { time, pass } = virtualTime(Date.parse('2026-11-23T22:00:00Z'));
    const day = dated('2026-11-24');
    const own = script(day).filter(({ by }) => by === 'ncs');
    const out = new Set<string>(own.slice(0, count).map(({ message }) => message.message_id));
    const next = own[count]?.message.message_id;
    let at: number | undefined;
    const duplicate = { outcome: 'duplicate' };
    const producer = {
      validate: async ({ message_id: id }: { message_id: string }) =>
        out.has(id) ? duplicate : { outcome: 'accepted', violations: [], repairs: [] },
      publish: async ({ message_id: id }: { message_id: string }) => {
        if (id === next) at ??= time.now();
        return out.has(id) ? duplicate : { outcome: 'accepted' };
      },
    };
    const buses = { ...busesWith(async () => ({})), producer } as unknown as RoleConnections;
    const stop = new AbortController();
    const roles = new Map([['ncs' as const, buses]]);
    const play = { day, speed: 1, roles, time, signal: stop.signal };
    const begin = time.now();
    const over = playDay({ ...play, report: () => undefined }).catch(() => undefined);
    while (at === undefined) await pass();
    stop.abort();
    await over;
    return [at - begin, (own[count]?.at ?? 0) - day.at('06:00')].map(time => time / 60_000);
  };

  test('play from a minute before the first that is not on the bus yet', async () => {
    const [waited, sinceSix] = await nextAfter(3);
    expect(waited).toBe(1);
    expect(sinceSix).toBeGreaterThan(1);
  });

  test('play from six in the morning when none is on the bus', async () => {
    const [waited, sinceSix] = await nextAfter(0);
    expect(waited).toBe(sinceSix);
  });
});
