import { type DeliveryResult, deliver } from '../../../lib/bus/delivery/deliver.ts';
import { circuitBreaker, type Queues } from '../../../lib/bus/delivery/queues.ts';
import { reservedCopies } from '../../../lib/contract/functions.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { commitWithoutLease, entry } from '../../support/entries.ts';
import { logIn } from '../../support/fakes/log.ts';
import { registryWith } from '../../support/fakes/registry.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

const broken = 'broken.fifo';
const { errors: maxErrors, milliseconds } = limits.brokenQueue;

/** A copy of the publish function: what it knows of queues outlives a request. */
const newCopy = () => {
  const clock = frozenClock(0);
  const asked: string[] = [];
  const queues: Queues = {
    async send(queue) {
      asked.push(queue);
      if (queue !== broken) return 'sent';
      clock.advance(limits.sendMilliseconds);
      throw new Error('The queue does not answer.');
    },
  };
  return {
    clock,
    asked,
    queues: circuitBreaker(queues, { clock, maxErrors, milliseconds }),
    freeAt: 0,
  };
};

type Copy = ReturnType<typeof newCopy>;

/** A publish at a time: its message is accepted, and has to reach one queue. */
const deliverTo = async (
  { clock, queues }: Copy,
  queue: string,
  at: number,
): Promise<DeliveryResult> => {
  clock.advance(at - clock.now());
  const ledger = new SimLedger();
  const position = entry('m1', { acceptedAt: at, targets: [{ connection: 'c1', queue }] });
  ledger.commit(commitWithoutLease(position, ledger.head(position)), at);
  const ports = { clock, queues, registry: registryWith(), log: logIn(ledger) };
  const waiter = { owner: 'o', deadline: at + limits.publishBudgetMilliseconds };
  return deliver(ports, { position, published: 0, leased: undefined }, waiter);
};

test('publishes fail at once while a queue is known to be broken, and try it again after half a minute', async () => {
  const copy = newCopy();
  const took = async (at: number) => {
    expect((await deliverTo(copy, broken, at)).delivered).toBe(false);
    return copy.clock.now() - at;
  };
  expect(await took(0)).toBeLessThan(limits.publishBudgetMilliseconds / 2);
  expect(await took(10_000)).toBe(0);
  expect(copy.asked).toHaveLength(maxErrors);
  expect(await took(40_000)).toBeLessThan(limits.sendMilliseconds + 100);
  expect(copy.asked).toHaveLength(maxErrors + 1);
});

test('a queue that answers again is not broken any more', async () => {
  const clock = frozenClock(0);
  let isBroken = true;
  const send = async (): Promise<'sent'> => {
    if (isBroken) throw new Error('no');
    return 'sent';
  };
  const queues = circuitBreaker({ send }, { clock, maxErrors, milliseconds });
  const one = entry('m1');
  for (const _try of [1, 2]) await expect(queues.send('q', one)).rejects.toThrow('no');
  await expect(queues.send('q', one)).rejects.toThrow('failed a moment ago');
  isBroken = false;
  clock.advance(milliseconds);
  expect(await queues.send('q', one)).toBe('sent');
  isBroken = true;
  await expect(queues.send('q', one)).rejects.toThrow('no');
});

test('a hundred publishes a second that get stuck leave copies for everybody else', async () => {
  const account = 1_000;
  const unreserved =
    account - Object.values(reservedCopies).reduce((sum, copies) => sum + copies, 0);
  const copies: Copy[] = [];
  let most = 0;
  for (let at = 0; at < 60_000; at += 10)
    for (const queue of [broken, 'healthy.fifo']) {
      const idle = copies.find(({ freeAt }) => freeAt <= at) ?? newCopy();
      if (!copies.includes(idle)) copies.push(idle);
      const { delivered } = await deliverTo(idle, queue, at);
      expect(delivered).toBe(queue !== broken);
      idle.freeAt = Math.max(idle.clock.now(), at + 60);
      most = Math.max(most, copies.filter(({ freeAt }) => freeAt > at).length);
    }
  expect(most).toBeLessThan((2 / 3) * unreserved);
});
