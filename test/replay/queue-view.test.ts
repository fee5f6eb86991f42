import { limits } from '../../lib/contract/limits.ts';
import type { Entry } from '../../lib/delivery/log.ts';
import type { Connection } from '../../lib/registry/connection.ts';
import { type QueueViewPorts, viewQueue } from '../../lib/replay/queue-view.ts';
import { entry as entryOf } from '../support/entries.ts';

const now = Date.parse('2026-05-04T09:00:00Z');
const consumer = { id: 'c222222222222', workspace: 'w222222222222', queue: 'q.fifo' } as Connection;
const target = { connection: consumer.id, queue: 'q.fifo' };

const entry = (number: number, correlationId: string, targets: Entry['targets'] = [target]): Entry =>
  entryOf(`${correlationId}-${number}`, {
    workspace: consumer.workspace,
    correlationId,
    number,
    acceptedAt: now - 60_000 + number,
    targets,
  });

/** An archive of entries, oldest first; the logs named in `pending` have unsent entries from that number on. */
const ports = (
  archived: readonly Entry[],
  depth: { visible: number; inFlight: number },
  pending: Readonly<Record<string, number>> = {},
): QueueViewPorts => {
  const summaries = archived.map((one, at) => ({ ...one, position: String(at).padStart(6, '0') })).reverse();
  const ofLog = (correlationId: string) => archived.filter(one => one.correlationId === correlationId);
  return {
    clock: { now: () => now, sleep: async () => undefined },
    connections: {
      find: async id =>
        id === consumer.id ? { connection: consumer, credential: { version: 1 } } : undefined,
    },
    depths: { depth: async () => depth },
    log: {
      head: async ({ correlationId }) => ({
        published: (pending[correlationId] ?? Number.MAX_SAFE_INTEGER) - 1,
        last: ofLog(correlationId).length,
      }),
      entries: async ({ correlationId }, from, to) =>
        ofLog(correlationId).filter(({ number }) => number >= from && number <= to),
    },
    backlog: {
      due: async () =>
        Object.keys(pending).map(correlationId => ({
          workspace: consumer.workspace,
          correlationId,
          dueAt: now,
        })),
    },
    archiveTail: {
      latest: async (_, max) => ({ summaries: summaries.slice(0, max) }),
      entries: async (_, asked) =>
        asked.flatMap(summary => {
          const found = summaries.find(({ position }) => position === summary.position);
          return found ? [{ summary, entry: found }] : [];
        }),
    },
    history: {
      inFlight: async () => [],
      settled: async () => [],
    },
  };
};

const view = async (given: QueueViewPorts) => {
  const seen = await viewQueue(given, consumer.id);
  if ('kind' in seen) throw new Error(seen.reason);
  const ids = (entries: readonly Entry[]) => entries.map(({ messageId }) => messageId);
  return { sent: ids(seen.sent), unsent: ids(seen.unsent), isCut: seen.isCut };
};

test('shows as many of the last messages as the queue holds, the oldest first', async () => {
  const archived = [1, 2, 3, 4].map(number => entry(number, 'a'));
  expect(await view(ports(archived, { visible: 1, inFlight: 1 }))).toEqual({
    sent: ['a-3', 'a-4'],
    unsent: [],
    isCut: false,
  });
});

test('leaves out what was sent to others only', async () => {
  const archived = [entry(1, 'a'), entry(1, 'b', [{ connection: 'c444444444444', queue: 'other' }])];
  expect((await view(ports(archived, { visible: 1, inFlight: 0 }))).sent).toEqual(['a-1']);
});

test('shows what waits in the ledger apart: its correlation is blocked', async () => {
  const archived = [entry(1, 'a'), entry(1, 'b'), entry(2, 'b'), entry(3, 'b')];
  const seen = await view(ports(archived, { visible: 2, inFlight: 0 }, { b: 2 }));
  expect(seen).toEqual({ sent: ['a-1', 'b-1'], unsent: ['b-2', 'b-3'], isCut: false });
});

test('looks at no more than eight hundred places, and says so', async () => {
  const others = Array.from({ length: 1_500 }, (_, at) => entry(at + 1, 'x', []));
  expect(await view(ports([entry(1, 'a'), ...others], { visible: 1, inFlight: 0 }))).toEqual({
    sent: [],
    unsent: [],
    isCut: true,
  });
  const own = Array.from({ length: 250 }, (_, at) => entry(at + 1, 'a'));
  expect((await view(ports(own, { visible: 250, inFlight: 0 }))).sent).toHaveLength(250);
});

test('a look at a queue of a thousand messages costs at most twenty reads', async () => {
  const own = Array.from({ length: 1_000 }, (_, at) => entry(at + 1, 'a'));
  const given = ports(own, { visible: 1_000, inFlight: 0 });
  // The pending logs are in so many partitions of an index.
  let reads: number = limits.pendingShards;
  const counted = <Call extends unknown[], Result>(read: (...call: Call) => Result) => {
    return (...call: Call): Result => {
      reads += 1;
      return read(...call);
    };
  };
  const { history, archiveTail } = given;
  const seen = await view({
    ...given,
    history: { inFlight: counted(history.inFlight), settled: counted(history.settled) },
    archiveTail: { latest: counted(archiveTail.latest), entries: counted(archiveTail.entries) },
  });
  expect(seen).toMatchObject({ isCut: true, sent: { length: 800 } });
  expect(reads).toBeLessThanOrEqual(20);
});

test('what was acknowledged is not in the queue any more, and what a replay sent is', async () => {
  const given = ports([entry(1, 'a'), entry(2, 'a'), entry(3, 'a')], { visible: 3, inFlight: 0 });
  const done = (messageId: string, replay = {}) => ({
    kind: 'acknowledged' as const,
    connection: consumer.id,
    messageId,
    messageType: 'story.context',
    correlationId: 'a',
    pull: 'p',
    acceptedAt: now,
    takenAt: now,
    receiveCount: 1,
    visibleAt: now,
    acknowledgedAt: now,
    ...replay,
  });
  const sent = { kind: 'replayed' as const, connection: consumer.id, workspace: consumer.workspace, at: now };
  const settled = async () => [
    done('a-1'),
    done('a-2'),
    { ...sent, messageId: 'a-2', replay: 'y1' },
    { ...sent, messageId: 'a-3', replay: 'y1' },
  ];
  const seen = await view({ ...given, history: { ...given.history, settled } });
  expect(seen).toEqual({ sent: ['a-2', 'a-3'], unsent: [], isCut: false });
});

test('declines a connection that does not exist, or whose queue is gone', async () => {
  const none = ports([], { visible: 0, inFlight: 0 });
  expect(await viewQueue(none, 'c999999999999')).toMatchObject({ kind: 'declined' });
  const gone = { ...none, depths: { depth: async () => undefined } };
  expect(await viewQueue(gone, consumer.id)).toMatchObject({
    reason: expect.stringContaining('does not exist'),
  });
});
