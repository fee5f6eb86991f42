import { type DeliveryPorts, deliver } from '../../../lib/bus/delivery/deliver.ts';
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
  before = (): undefined => undefined,
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
