import type {
  Commit,
  CommitConflict,
  Correlation,
  Lease,
  Ledger,
  LedgerKey,
  Progress,
} from '../../lib/delivery/log.ts';
import { publish } from '../../lib/publishing/publish.ts';
import type { Connection } from '../../lib/registry/connection.ts';
import { SimLedger } from '../simulation/sim-ledger.ts';
import { countingIds, frozenClock } from '../support/identity-fakes.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';
import { connection } from '../tokens/tokens.ts';

const producer = { ...connection, systemIds: ['demo-ncs'] };

/** A publish over a ledger whose commits all end the same way, and queues that nobody has. */
const publishing = (commit: () => Promise<CommitConflict | undefined>) => {
  let commits = 0;
  const ledger: Ledger = {
    read: async () => ({ head: { last: 0, published: 0 } }),
    commit: () => {
      commits += 1;
      return commit();
    },
  };
  const ports = {
    clock: frozenClock(),
    ids: countingIds(),
    registry: { consumersOf: async () => [] },
    ledger,
  };
  const log = {
    head: async () => ({ last: 1, published: 0 }),
    acquire: async () => undefined,
    release: async () => false,
  };
  const decide = publish({ ...ports, log, queues: {} } as never);
  return {
    verdictOf: (message: object) => decide(Buffer.from(JSON.stringify(message)), producer),
    commits: () => commits,
  };
};

const consumer: Connection = {
  ...connection,
  id: 'cconsumer2222',
  kind: 'consumer',
  receives: ['*'],
  queue: 'consumer.fifo',
};

/** A publish over a ledger in memory, to one consumer whose queue answers as told. */
const delivering = (send: () => Promise<'sent'>) => {
  const ledger = new SimLedger();
  const clock = frozenClock();
  let answer = (): void => undefined;
  const ports = {
    clock,
    ids: countingIds(),
    registry: { consumersOf: async () => [consumer] },
    ledger: {
      read: async (key: LedgerKey) => {
        const accepted = ledger.id(key.workspace, key.messageId, clock.now());
        const story = ledger.story(key);
        return { head: ledger.head(key), ...(accepted ? { accepted } : {}), ...(story ? { story } : {}) };
      },
      commit: async (commit: Commit) => {
        const conflict = ledger.commit(commit, clock.now());
        answer();
        return conflict;
      },
    },
    log: {
      head: async (log: Correlation) => ledger.head(log),
      entries: async (log: Correlation, from: number, to: number) => ledger.entries(log, from, to),
      acquire: async (log: Correlation, lease: Lease, now: number) => ledger.acquire(log, lease, now),
      release: async (log: Correlation, lease: Lease, progress: Progress) =>
        ledger.release(log, lease, progress),
    },
    queues: { send },
  };
  const decide = publish(ports as never);
  return {
    decide: (message: object) => decide(Buffer.from(JSON.stringify(message)), producer),
    /** What happens to the answers of commits from now on. */
    afterCommit: (next: () => void) => {
      answer = next;
    },
  };
};

const refusedBy = (rule: string) => ({ kind: 'refused', violations: [{ rule }] });

test('commit.contention answers a story whose other writers were faster five times', async () => {
  const { verdictOf, commits } = publishing(async () => ({ id: false, head: false, story: true }));
  expect(await verdictOf(storyContext())).toMatchObject(refusedBy('commit.contention'));
  expect(commits()).toBe(5);
});

test('registry.unavailable answers a correlation that other writers keep busy, and nothing was accepted', async () => {
  const { verdictOf } = publishing(async () => ({ id: false, head: true, story: false }));
  expect(await verdictOf(linkCommitted())).toMatchObject(refusedBy('registry.unavailable'));
});

test('bus.publish_failed answers a commit of which nobody can say whether it happened', async () => {
  const { verdictOf } = publishing(() => Promise.reject(new Error('timed out')));
  expect(await verdictOf(linkCommitted())).toMatchObject({
    ...refusedBy('bus.publish_failed'),
    fault: { error: 'Error' },
  });
});

test('bus.publish_failed carries the name and the queue of what is behind it, and nothing else, for the log', async () => {
  const thrown = Object.assign(new Error('no secrets here'), { name: 'TimeoutError' });
  const { decide } = delivering(async () => {
    throw thrown;
  });
  const verdict = await decide(linkCommitted());
  expect(verdict).toMatchObject(refusedBy('bus.publish_failed'));
  expect(verdict).toMatchObject({ fault: { error: 'TimeoutError', queue: 'consumer.fifo' } });
  expect(JSON.stringify(verdict)).not.toContain('no secrets here');
});

test('what is behind a fault that went away is not told', async () => {
  let sends = 0;
  const { decide } = delivering(async () => {
    sends += 1;
    if (sends === 1) throw new Error('once');
    return 'sent';
  });
  const verdict = await decide(linkCommitted());
  expect(verdict).toMatchObject({ kind: 'accepted' });
  expect(verdict).not.toHaveProperty('fault');
});

test('sequence_number.gap is told of a commit whose answer was lost, as of any other', async () => {
  const { decide, afterCommit } = delivering(async () => 'sent');
  await decide(storyContext({ story_id: 'one', sequence_number: 1 }));
  afterCommit(() => {
    throw new Error('the answer is lost');
  });
  const verdict = await decide(storyContext({ story_id: 'one', sequence_number: 5 }));
  expect(verdict).toMatchObject({ kind: 'accepted', tolerated: [{ rule: 'sequence_number.gap' }] });
});
