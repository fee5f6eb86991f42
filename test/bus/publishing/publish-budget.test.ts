import type { Head } from '../../../lib/bus/delivery/log.ts';
import { type PublishPorts, publish } from '../../../lib/bus/publishing/publish.ts';
import { functionSizes } from '../../../lib/contract/functions.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { ledgerIn } from '../../support/fakes/ledger.ts';
import { logIn } from '../../support/fakes/log.ts';
import { queuesInMemory } from '../../support/fakes/queues.ts';
import { registryWith } from '../../support/fakes/registry.ts';
import { countingIds, frozenClock } from '../../support/identity-fakes.ts';
import { linkCommitted } from '../../support/messages.ts';
import { connection } from '../tokens/tokens.ts';

const producer = { ...connection, systemIds: ['demo-ncs'] };
const consumer = { ...connection, id: 'c2', queue: 'q.fifo', receives: ['*'] };
const body = Buffer.from(JSON.stringify(linkCommitted()));

type Slow = 'read' | 'commit' | 'send' | 'release';

/**
 * A publish whose slow calls take as long as they may, while the others take no time; a slow send
 * fails.
 */
const slowPublish = (slow: readonly Slow[], max: number = limits.databaseMilliseconds) => {
  const clock = frozenClock(0);
  const take = <T>(call: Slow, milliseconds: number, response: T): T => {
    clock.advance(slow.includes(call) ? milliseconds : 0);
    return response;
  };
  const { sendMilliseconds } = limits;
  const memory = new SimLedger();
  const [ledger, log] = [ledgerIn(memory, clock), logIn(memory)];
  const noHead: Head = { last: 0, published: 0 };
  const pendingHead: Head = { last: 1, published: 0 };
  const ports: PublishPorts = {
    clock,
    ids: countingIds(),
    registry: registryWith({ consumersOf: async () => [consumer] }),
    ledger: {
      ...ledger,
      read: async () => take('read', max, { head: noHead }),
      commit: async commit => take('commit', max, await ledger.commit(commit)),
    },
    log: {
      ...log,
      head: async () => take('read', max, pendingHead),
      acquire: async () => take('release', max, pendingHead),
      entries: async (...range) => take('read', max, await log.entries(...range)),
      release: async () => take('release', max, true),
    },
    queues: queuesInMemory({
      clock,
      existing: [consumer.queue],
      async before() {
        if (slow.includes('send'))
          throw take('send', sendMilliseconds, new Error('The queue does not answer.'));
        return undefined;
      },
    }).port,
  };
  return {
    verdict: () => publish(ports)(body, producer),
    elapsed: () => clock.now(),
    commits: () => memory.committed.length,
  };
};

test.each([
  [['read', 'commit', 'send', 'release']],
  [['read', 'send', 'release']],
  [['commit', 'send']],
  [['send', 'release']],
] as const)('a publish ends before its function times out when these are slow: %s', async slow => {
  const { verdict, elapsed } = slowPublish(slow);
  expect(await verdict()).toMatchObject({ violations: [{ rule: 'bus.publish_failed' }] });
  expect(elapsed()).toBeLessThan(functionSizes.publish.timeoutSeconds * 1000);
});

test('the longest chain of calls after the last possible commit fits into the function', () => {
  const { publishBudgetMilliseconds, leaseMilliseconds, sendMilliseconds, databaseMilliseconds } =
    limits;
  const conflicts = 700;
  // A send as the lease ends; a look at who is gone and its record; the closing update with the
  // pauses before it.
  const longest =
    publishBudgetMilliseconds +
    leaseMilliseconds +
    sendMilliseconds +
    3 * databaseMilliseconds +
    conflicts;
  expect(longest).toBeLessThan(functionSizes.publish.timeoutSeconds * 1000);
});

test('registry.unavailable: a publish whose reads used up its time commits nothing', async () => {
  const { verdict, commits } = slowPublish(['read'], limits.publishBudgetMilliseconds);
  expect(await verdict()).toMatchObject({ violations: [{ rule: 'registry.unavailable' }] });
  expect(commits()).toBe(0);
});
