import { limits } from '../../lib/contract/limits.ts';
import { awaitDelivery, type DeliveryPorts } from '../../lib/delivery/deliver.ts';
import { correlation, entry } from '../support/entries.ts';

/** A log of entries that nobody else sends, and queues whose sends take as long as they may and then fail. */
const hungPorts = () => {
  const clock = {
    time: 0,
    now: () => clock.time,
    async sleep(milliseconds: number) {
      clock.time += milliseconds;
    },
  };
  let sends = 0;
  const ports = {
    clock,
    registry: {},
    log: {
      head: async () => ({ last: 1, published: 0 }),
      acquire: async () => ({ last: 1, published: 0 }),
      entries: async () => [entry('m1', { number: 1, correlationId: correlation(1) })],
      release: async () => true,
    },
    queues: {
      async send() {
        sends += 1;
        clock.time += limits.sendMilliseconds;
        throw new Error('The queue service does not answer.');
      },
    },
  } as unknown as DeliveryPorts;
  return { ports, clock, sends: () => sends };
};

test('a publish gives up within its budget when sends hang, after trying more than once', async () => {
  const { ports, clock, sends } = hungPorts();
  const position = { workspace: 'waaaaaaaaaaaa', correlationId: correlation(1), number: 1 };
  const facts = { owner: 'o', deadline: limits.publishBudgetMilliseconds };
  expect(await awaitDelivery(ports, position, facts)).toBe(false);
  expect(clock.now()).toBeLessThanOrEqual(limits.publishBudgetMilliseconds);
  expect(sends()).toBeGreaterThan(1);
});

test('a publish outlasts a sender that died: its lease, the skew, a pause and a send', () => {
  const longestPause = 1_000;
  const { leaseMilliseconds, clockSkewMilliseconds, sendMilliseconds, publishBudgetMilliseconds } = limits;
  expect(leaseMilliseconds).toBeGreaterThan(sendMilliseconds);
  expect(leaseMilliseconds + clockSkewMilliseconds + longestPause + sendMilliseconds).toBeLessThan(
    publishBudgetMilliseconds,
  );
});
