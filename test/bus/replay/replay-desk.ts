import type { Connection } from '../../../lib/access/registry/connection.ts';
import type { Entry } from '../../../lib/bus/delivery/log.ts';
import type { Replay, ReplayPorts } from '../../../lib/bus/replay/replay.ts';
import { runReplays } from '../../../lib/bus/replay/run-replays.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { commitWithoutLease, correlation, entry, workspace } from '../../support/entries.ts';
import { archiveIn } from '../../support/fakes/archive.ts';
import { logIn } from '../../support/fakes/log.ts';
import { queuesInMemory, type Sent } from '../../support/fakes/queues.ts';
import { recorderInMemory } from '../../support/fakes/recorder.ts';
import { registryWith } from '../../support/fakes/registry.ts';

export const now = Date.parse('2026-05-04T12:00:00Z');
const minute = 60_000;

export const consumer = connectionOf('c333333333333', 'consumer', workspace);

export const replayOf = (members: Partial<Replay> = {}): Replay => ({
  id: 'y222222222222',
  connection: consumer.id,
  workspace,
  from: now - 10 * minute,
  to: now - minute,
  status: 'running',
  createdAt: now - minute,
  reached: now - 10 * minute,
  sent: 0,
  next: 1,
  waiting: [],
  ...members,
});

/** A ledger, one replay of it and a clock that only sleeping moves. No call takes time. */
export const replayDesk = (replay: Replay, to: Connection = consumer) => {
  const ledger = new SimLedger();
  const pages: string[] = [];
  const time = { now };
  const broken = new Map<string, Error | 'gone'>();
  let isExpired = (_entry: Entry): boolean => false;
  let job: Replay = replay;
  const isMine = (owner: string) => job.status === 'running' && job.lease?.owner === owner;
  const desk = {
    get sent(): readonly Sent[] {
      return queues.sent;
    },
    /** The ranges that the archive was asked for. */
    pages,
    time,
    /** What happens to a message instead of being sent. */
    broken,
    /** Called with every entry that is sent. */
    watch: (_entry: Entry): void => undefined,
    get replay() {
      return job;
    },
    /** From now on the archive has lost these entries; its index still names them. */
    expire: (which: typeof isExpired) => {
      isExpired = which;
    },
    cancel: () => {
      job = { ...job, status: 'cancelled' };
    },
    /**
     * The next entry of a correlation, accepted so many seconds after the beginning of the replay's
     * range.
     */
    accept(messageId: string, index: number, seconds: number, members: Partial<Entry> = {}): Entry {
      const correlationId = correlation(index);
      const head = ledger.head({ workspace, correlationId });
      const acceptedAt = replay.from + seconds * 1000;
      const one = entry(messageId, {
        correlationId,
        number: head.last + 1,
        acceptedAt,
        ...members,
      });
      const conflict = ledger.commit(commitWithoutLease(one, head), acceptedAt);
      if (conflict) throw new Error('The entry does not fit.');
      return one;
    },
    /** Delivers all entries of a correlation. */
    deliver(index: number): void {
      const log = { workspace, correlationId: correlation(index) };
      const lease = { owner: 'publisher', until: time.now };
      const head = ledger.acquire(log, lease, time.now);
      if (head)
        ledger.release(log, lease, {
          published: head.last,
          unsentSince: time.now,
          dueAt: time.now,
        });
    },
    /** A scheduled run, a minute after the one before. */
    async run(): Promise<unknown> {
      const error = await runReplays(ports)(time.now + 18_000).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      time.now += minute;
      return error;
    },
  };
  const queues = queuesInMemory({
    clock: { now: () => time.now },
    existing: ['sombus-c333333333333.fifo'],
    before(_queue, one) {
      desk.watch(one);
      const instead = broken.get(one.messageId);
      if (instead instanceof Error) throw instead;
      return instead;
    },
  });
  const archive = archiveIn(ledger);
  const recorder = recorderInMemory();
  const ports: ReplayPorts = {
    clock: {
      now: () => time.now,
      sleep: async milliseconds => {
        time.now += milliseconds;
      },
    },
    ids: { random: bytes => Buffer.alloc(bytes, time.now % 251) },
    registry: registryWith({ connection: async () => to }),
    log: logIn(ledger),
    archive: {
      ...archive,
      entries: async (...asked) =>
        (await archive.entries(...asked)).filter(({ entry }) => !isExpired(entry)),
      page: async (range, max) => {
        pages.push(`${range.from}..${range.to}`);
        if (pages.length > 1_000) throw new Error('The archive is read again and again.');
        return archive.page(range, max);
      },
    },
    queues: queues.port,
    recorder: recorder.port,
    replays: {
      running: async () => (job.status === 'running' ? [job.id] : []),
      acquire: async (_id, lease) => {
        job = { ...job, lease };
        return job;
      },
      progress: async (_id, lease, done) => {
        if (!isMine(lease.owner)) return false;
        job = { ...job, ...done, lease };
        return true;
      },
      release: async (_id, owner, problem) => {
        if (!isMine(owner)) return;
        const { lease: _given, problem: _past, ...rest } = job;
        job = { ...rest, ...(problem === undefined ? {} : { problem }) };
      },
      end: async (_id, outcome) => {
        if (job.status !== 'running') return false;
        const { problem: _past, ...rest } = job;
        job = { ...rest, ...outcome, waiting: [] };
        return true;
      },
    },
  };
  return desk;
};
