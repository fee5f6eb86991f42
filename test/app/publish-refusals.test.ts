import { publish } from '../../lib/app/publish.ts';
import type { CommitConflict, Ledger } from '../../lib/ports/ledger.ts';
import { connection } from '../domain/token/tokens.ts';
import { countingIds, frozenClock } from '../support/identity-fakes.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';

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
  expect(await verdictOf(linkCommitted())).toMatchObject(refusedBy('bus.publish_failed'));
});
