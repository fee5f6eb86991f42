import { limits } from '../../lib/contract/limits.ts';
import { deliver } from '../../lib/delivery/deliver.ts';
import type { DeliveryPorts } from '../../lib/delivery/drain.ts';
import { SimLedger } from '../simulation/sim-ledger.ts';
import { commitOf, entry } from '../support/entries.ts';
import { logIn } from '../support/fakes/log.ts';
import { queuesInMemory } from '../support/fakes/queues.ts';
import { registryWith } from '../support/fakes/registry.ts';
import { frozenClock } from '../support/identity-fakes.ts';

/** A log with one entry that nobody else sends, and queues whose sends take all their time and then fail. */
const hungDelivery = () => {
  const clock = frozenClock(0);
  const ledger = new SimLedger();
  const one = entry('m1', { acceptedAt: 0 });
  const { lease: _none, ...commit } = commitOf(one, ledger.head(one));
  ledger.commit(commit, 0);
  let sends = 0;
  const ports: DeliveryPorts = {
    clock,
    registry: registryWith(),
    log: logIn(ledger),
    queues: queuesInMemory({
      clock,
      before: () => {
        sends += 1;
        clock.advance(limits.sendMilliseconds);
        throw new Error('The queue service does not answer.');
      },
    }).port,
  };
  const pending = { position: one, published: 0, run: undefined };
  return { ports, clock, pending, queue: one.targets[0]?.queue, sends: () => sends };
};

test('a delivery ends within its budget when sends hang, after more than one try, and names the last fault', async () => {
  const { ports, clock, pending, queue, sends } = hungDelivery();
  const waiter = { owner: 'o', deadline: limits.publishBudgetMilliseconds };
  expect(await deliver(ports, pending, waiter)).toEqual({
    delivered: false,
    fault: { name: 'Error', queue },
  });
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
