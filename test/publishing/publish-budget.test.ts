import { functionSizes } from '../../lib/contract/functions.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { Commit } from '../../lib/delivery/log.ts';
import { publish } from '../../lib/publishing/publish.ts';
import { countingIds } from '../support/identity-fakes.ts';
import { linkCommitted } from '../support/messages.ts';
import { connection } from '../tokens/tokens.ts';

const producer = { ...connection, systemIds: ['demo-ncs'] };

type Slow = 'read' | 'commit' | 'send' | 'release';

/** A publish whose calls take no time, but the slow ones as long as they may; sends that are slow fail. */
const publishing = (...slow: readonly Slow[]) => {
  let time = 0;
  const commits: Commit[] = [];
  const take = async <T>(call: Slow, milliseconds: number, answer: T): Promise<T> => {
    time += slow.includes(call) ? milliseconds : 0;
    return answer;
  };
  const { databaseMilliseconds: max, sendMilliseconds } = limits;
  const head = { last: 1, published: 0 };
  const consumer = { id: 'c2', status: 'active', queue: 'q.fifo', receives: ['*'], sources: [] };
  const decide = publish({
    clock: {
      now: () => time,
      sleep: async (milliseconds: number) => {
        time += milliseconds;
      },
    },
    ids: countingIds(),
    registry: { consumersOf: async () => [consumer] },
    ledger: {
      read: () => take('read', max, { head: { last: 0, published: 0 } }),
      commit: (commit: Commit) => {
        commits.push(commit);
        return take('commit', max, undefined);
      },
    },
    log: {
      head: () => take('read', max, head),
      acquire: () => take('release', max, head),
      entries: () =>
        take(
          'read',
          max,
          commits.map(({ entry }) => entry),
        ),
      release: () => take('release', max, true),
    },
    queues: {
      send: async () => {
        await take('send', sendMilliseconds, undefined);
        if (slow.includes('send')) throw new Error('The queue does not answer.');
        return 'sent';
      },
    },
  } as never);
  return {
    verdict: () => decide(Buffer.from(JSON.stringify(linkCommitted())), producer),
    elapsed: () => time,
  };
};

/** A publish whose first read ends after its deadline. */
const publishingLate = () => {
  let time = 0;
  let commits = 0;
  const decide = publish({
    clock: { now: () => time, sleep: async () => undefined },
    ids: countingIds(),
    registry: { consumersOf: async () => [] },
    ledger: {
      read: async () => {
        time += limits.publishBudgetMilliseconds;
        return { head: { last: 0, published: 0 } };
      },
      commit: async () => {
        commits += 1;
      },
    },
    log: {},
    queues: {},
  } as never);
  return {
    verdict: () => decide(Buffer.from(JSON.stringify(linkCommitted())), producer),
    commits: () => commits,
  };
};

test.each([
  [['read', 'commit', 'send', 'release']],
  [['read', 'send', 'release']],
  [['commit', 'send']],
  [['send', 'release']],
] as const)('a publish is over before its function is when these take their time: %s', async slow => {
  const { verdict, elapsed } = publishing(...slow);
  expect(await verdict()).toMatchObject({ violations: [{ rule: 'bus.publish_failed' }] });
  expect(elapsed()).toBeLessThan(functionSizes.publish.timeoutSeconds * 1000);
});

test('the longest chain of calls after the last commit that may begin fits into the function', () => {
  const { publishBudgetMilliseconds, leaseMilliseconds, sendMilliseconds, databaseMilliseconds } = limits;
  const conflicts = 700;
  // A send as the lease ends; a look at who is gone and its record; the closing update with the pauses before it.
  const longest =
    publishBudgetMilliseconds + leaseMilliseconds + sendMilliseconds + 3 * databaseMilliseconds + conflicts;
  expect(longest).toBeLessThan(functionSizes.publish.timeoutSeconds * 1000);
});

test('registry.unavailable answers a publish whose reads used up its time: nothing is committed any more', async () => {
  const { verdict, commits } = publishingLate();
  expect(await verdict()).toMatchObject({ violations: [{ rule: 'registry.unavailable' }] });
  expect(commits()).toBe(0);
});
