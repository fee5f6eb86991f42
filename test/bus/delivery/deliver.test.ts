import { type DeliveryPorts, deliver, deliveryError } from '../../../lib/bus/delivery/deliver.ts';
import { isTarget, newLease } from '../../../lib/bus/delivery/log.ts';
import { BrokenQueue } from '../../../lib/bus/delivery/queues.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { commitWithoutLease, entry } from '../../support/entries.ts';
import { logIn } from '../../support/fakes/log.ts';
import { queuesInMemory } from '../../support/fakes/queues.ts';
import { registryWith } from '../../support/fakes/registry.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

/** A log with one entry, and a record of what a delivery of it asks of its ports. */
const watchedDelivery = ({
  published = 0,
  sendable = true,
  before = (): 'gone' | undefined => undefined,
} = {}) => {
  const clock = frozenClock(0);
  const ledger = new SimLedger();
  const one = entry('m1', { acceptedAt: 0 });
  ledger.commit(commitWithoutLease(one, ledger.head(one)), 0);
  const asked: string[] = [];
  const log = logIn(ledger);
  const ports: DeliveryPorts = {
    clock,
    registry: registryWith(),
    log: {
      ...log,
      head: async (...args) => {
        asked.push('head');
        return { ...(await log.head(...args)), published };
      },
      acquire: async (...args) => {
        asked.push('acquire');
        return sendable ? log.acquire(...args) : undefined;
      },
    },
    queues: queuesInMemory({ clock, before }).port,
  };
  return { ports, clock, asked, position: one };
};

describe('the limits of a delivery', () => {
  const undelivered = { delivered: false, error: undefined };
  const at = (deadline: number) => ({ owner: 'o', deadline });
  const { sendMilliseconds, deliveryPollMilliseconds } = limits;

  test.each([
    [1, []],
    [2, []],
    [0, ['head', 'acquire']],
  ])('entry 1 of a log that is published up to %i', async (published, expected) => {
    const { ports, asked, position } = watchedDelivery();
    const delivery = await deliver(ports, { position, published, leased: undefined }, at(60_000));
    expect(delivery).toEqual({ delivered: true });
    expect(asked).toEqual(expected);
  });

  test.each([
    [0, false],
    [1, true],
    [2, true],
  ])('a head that says %i was published meanwhile', async (published, delivered) => {
    const { ports, asked, position } = watchedDelivery({ published, sendable: false });
    const waiter = at(sendMilliseconds + 1);
    expect(
      (await deliver(ports, { position, published: 0, leased: undefined }, waiter)).delivered,
    ).toBe(delivered);
    expect(asked.includes('acquire')).toBe(!delivered);
  });

  test.each([
    ['no time', 0, []],
    ['the time of a send', sendMilliseconds, ['head']],
    ['a millisecond more', sendMilliseconds + 1, ['head', 'acquire']],
  ])('with %s left, asks for %j', async (_left, deadline, expected) => {
    const { ports, asked, position } = watchedDelivery({ sendable: false });
    const result = await deliver(
      ports,
      { position, published: 0, leased: undefined },
      at(deadline),
    );
    expect(result).toEqual(undelivered);
    const first = asked.slice(0, 2).filter((name, index) => name !== asked[index - 1]);
    expect(first).toEqual(expected);
  });

  test.each([
    [deliveryPollMilliseconds, 1],
    [deliveryPollMilliseconds + 1, 2],
    [3 * deliveryPollMilliseconds, 2],
    [3 * deliveryPollMilliseconds + 1, 3],
  ])(
    'in %i ms it looks %i times: a pause that ends at the deadline is not begun',
    async (deadline, looks) => {
      const { ports, clock, asked, position } = watchedDelivery({ sendable: false });
      await deliver(ports, { position, published: 0, leased: undefined }, at(deadline));
      expect(asked.filter(name => name === 'head')).toHaveLength(looks);
      expect(clock.now()).toBeLessThan(deadline);
    },
  );
});

test('a delivery ends within its budget when sends hang, after more than one try, and names the last error', async () => {
  let sends = 0;
  const { ports, clock, position } = watchedDelivery({
    before: () => {
      sends += 1;
      clock.advance(limits.sendMilliseconds);
      throw new Error('The queue service does not answer.');
    },
  });
  const waiter = { owner: 'o', deadline: limits.publishBudgetMilliseconds };
  expect(await deliver(ports, { position, published: 0, leased: undefined }, waiter)).toEqual({
    delivered: false,
    error: { name: 'Error', queue: position.targets[0]?.queue },
  });
  expect(clock.now()).toBeLessThanOrEqual(limits.publishBudgetMilliseconds);
  expect(sends).toBeGreaterThan(1);
});

test('a delivery whose log cannot be read ends with the name of that error', async () => {
  const { ports, position } = watchedDelivery();
  const unread = { ...ports.log, head: () => Promise.reject(new RangeError('no such page')) };
  const waiter = { owner: 'o', deadline: 10_000 };
  const delivery = deliver(
    { ...ports, log: unread },
    { position, published: 0, leased: undefined },
    waiter,
  );
  expect(await delivery).toEqual({ delivered: false, error: { name: 'RangeError' } });
});

test('a publish outlasts a sender that died: its lease, the skew, a pause and a send', () => {
  const longestPause = 1_000;
  const { leaseMilliseconds, clockSkewMilliseconds, sendMilliseconds, publishBudgetMilliseconds } =
    limits;
  expect(leaseMilliseconds).toBeGreaterThan(sendMilliseconds);
  expect(leaseMilliseconds + clockSkewMilliseconds + longestPause + sendMilliseconds).toBeLessThan(
    publishBudgetMilliseconds,
  );
});

describe('an error of a delivery is named for a log line', () => {
  const named = (name: string, more: object = {}) =>
    Object.assign(new Error('…'), { name, ...more });

  test.each([
    ['by what the service calls it', named('ThrottlingException'), 'ThrottlingException'],
    ['by its name even if it has a code', named('TimeoutError', { code: 'E1' }), 'TimeoutError'],
    ['by the code of the system, if it has no name', named('Error', { code: 'EPIPE' }), 'EPIPE'],
    ['as an error, if its code is a number', named('Error', { code: 7 }), 'Error'],
    ['as an error, if that is all', new Error('…'), 'Error'],
    ['as unknown, if it is none', { code: 'EPIPE' }, 'unknown'],
  ])('%s', (_, error, name) => {
    expect(deliveryError(error)).toEqual({ name });
  });

  test('and a send that was not tried by what the queue failed with', () => {
    const broken = new BrokenQueue('The queue failed a moment ago.', { cause: named('Timeout') });
    expect(deliveryError(broken)).toEqual({ name: 'Timeout', untried: true });
  });
});

describe('a publish that holds the lease of its log', () => {
  const waiter = { owner: 'o', deadline: 60_000 };
  const lease = newLease('o', 0);
  const leased = { lease, published: 0, unsentSince: 0 };
  const queue = 'sombus-c333333333333.fifo';

  /** One entry, in a log that has given its lease to this sender. */
  const underLease = async (before: () => 'gone' | undefined) => {
    const { ports, asked, position } = watchedDelivery({ before });
    await ports.log.acquire(position, lease, 0);
    asked.length = 0;
    const released: unknown[] = [];
    const log = {
      ...ports.log,
      release: async (...[of, held, progress]: Parameters<typeof ports.log.release>) => {
        released.push(progress);
        return ports.log.release(of, held, progress);
      },
    };
    return { ports: { ...ports, log }, asked, position, released };
  };

  test('leaves an entry whose queue is missing while its consumer is registered', async () => {
    const { ports, position } = await underLease(() => 'gone');
    const registry = registryWith({ isRegistered: async () => true });
    const short = { owner: 'o', deadline: 1 };
    expect(
      await deliver({ ...ports, registry }, { position, published: 0, leased }, short),
    ).toEqual({ delivered: false, error: { name: 'QueueDoesNotExist', queue } });
  });

  test('skips an entry whose queue and consumer are gone, and moves on', async () => {
    const { ports, asked, position, released } = await underLease(() => 'gone');
    const registry = registryWith({ isRegistered: async () => false });
    expect(
      await deliver({ ...ports, registry }, { position, published: 0, leased }, waiter),
    ).toEqual({ delivered: true });
    expect(asked).toEqual([]);
    expect(released).toEqual([{ published: 1, unsentSince: 0, dueAt: 0 }]);
  });

  test('does not wait for a queue that is known to be broken', async () => {
    const { ports, asked, position, released } = await underLease(() => {
      throw new BrokenQueue('The queue failed a moment ago.', { cause: new RangeError('…') });
    });
    expect(await deliver(ports, { position, published: 0, leased }, waiter)).toEqual({
      delivered: false,
      error: { name: 'RangeError', untried: true, queue },
    });
    expect(asked).toEqual([]);
    // Nothing moved: the relay leaves it alone for five seconds.
    expect(released).toEqual([{ published: 0, unsentSince: 0, dueAt: 5_000 }]);
  });

  test('names its own error if the tries after it met none', async () => {
    const { ports, position } = await underLease(() => {
      throw new RangeError('…');
    });
    const acquire = async () => undefined;
    const log = { ...ports.log, acquire };
    expect(await deliver({ ...ports, log }, { position, published: 0, leased }, waiter)).toEqual({
      delivered: false,
      error: { name: 'RangeError', queue },
    });
  });

  test('tries again after its own lease if a queue failed, and has then delivered', async () => {
    let sends = 0;
    const { ports, asked, position, released } = await underLease(() => {
      sends += 1;
      if (sends === 1) throw new RangeError('…');
      return 'gone';
    });
    expect(await deliver(ports, { position, published: 0, leased }, waiter)).toEqual({
      delivered: true,
    });
    expect(sends).toBe(2);
    expect(asked).toEqual(['head', 'acquire']);
    expect(released).toEqual([
      { published: 0, unsentSince: 0, dueAt: 5_000 },
      { published: 1, unsentSince: 0, dueAt: 0 },
    ]);
  });

  test('has delivered what the queues have, even if its lease could not be released', async () => {
    const { ports, position } = watchedDelivery();
    const release = () => Promise.reject(new RangeError('…'));
    const log = { ...ports.log, release, head: () => Promise.reject(new Error('not asked')) };
    const registry = registryWith({ isRegistered: async () => false });
    expect(
      await deliver({ ...ports, log, registry }, { position, published: 0, leased }, waiter),
    ).toEqual({ delivered: true });
  });

  test('starts no send once its lease is over', async () => {
    let sends = 0;
    const { ports, position } = watchedDelivery({
      before: () => {
        sends += 1;
      },
      sendable: false,
    });
    const until = (time: number) => ({ ...leased, until: time });
    const short = { owner: 'o', deadline: 1 };
    const over = { ...leased, lease: { owner: 'o', until: 0 }, until: 60_000 };
    for (const held of [until(0), over])
      await deliver(ports, { position, published: 0, leased: held }, short);
    expect(sends).toBe(0);
    await deliver(ports, { position, published: 0, leased: until(1) }, short);
    expect(sends).toBe(1);
  });
});

test('an accepted message is for its targets, and for nobody else', () => {
  const targets = ['c333333333333', 'c444444444444'].map(connection => ({
    connection,
    queue: `sombus-${connection}.fifo`,
  }));
  const isFor = (connection: string) => isTarget({ targets }, connection);
  expect(['c333333333333', 'c444444444444', 'c555555555555'].map(isFor)).toEqual([
    true,
    true,
    false,
  ]);
});
