import type { Registry } from '../../lib/access/registry/registry.ts';
import type { Seals } from '../../lib/access/seals/seal.ts';
import type { Recorder } from '../../lib/bus/activity/records.ts';
import type { WaitingPolls } from '../../lib/bus/consuming/pull.ts';
import type { Inbox, Receipts } from '../../lib/bus/consuming/receipts.ts';
import { isFree, type Ledger, type LedgerKey, type Log } from '../../lib/bus/delivery/log.ts';
import type { Queues } from '../../lib/bus/delivery/queues.ts';
import type { PendingLogs, RelayMetrics } from '../../lib/bus/delivery/relay.ts';
import type { Archive, Replay, Replays } from '../../lib/bus/replay/replay.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { Clock, Ids } from '../../lib/contract/outside.ts';
import { archiveIn } from '../support/fakes/archive.ts';
import { backlogIn } from '../support/fakes/backlog.ts';
import { ledgerIn } from '../support/fakes/ledger.ts';
import { logIn } from '../support/fakes/log.ts';
import { pollsInMemory } from '../support/fakes/polls.ts';
import { receiptsIn } from '../support/fakes/receipts.ts';
import { registryOver } from '../support/fakes/registry.ts';
import { sealsInMemory } from '../support/fakes/seals.ts';
import type { Process } from './process.ts';
import { logKey } from './sim-ledger.ts';
import type { SimQueue } from './sim-queue.ts';
import type { World } from './world.ts';

/** Every port there is, as one process sees them. */
export interface AllPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly registry: Registry;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly backlog: PendingLogs;
  readonly archive: Pick<Archive, 'page' | 'entries'>;
  readonly replays: Replays;
  readonly queues: Queues;
  readonly inbox: Inbox;
  readonly receipts: Receipts;
  readonly seals: Seals;
  readonly polls: WaitingPolls;
  readonly recorder: Recorder;
  readonly metrics: RelayMetrics;
}

type Remote<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** What a trace calls an argument. */
const brief = (arg: unknown): string => {
  if (Array.isArray(arg)) return arg.map(brief).join(' ');
  if (typeof arg !== 'object' || arg === null) return `${arg}`;
  const { entry = arg, messageId, correlationId, id = '' } = arg as Record<string, unknown>;
  return entry === arg ? `${messageId ?? correlationId ?? id}` : brief(entry);
};

/** A port whose every call has the latency and the faults of a call of a service. */
const remote = <Port extends object>(process: Process, name: string, port: Port): Remote<Port> =>
  new Proxy(port, {
    get: (target, method) => {
      const act: (...args: readonly unknown[]) => unknown = Reflect.get<object, PropertyKey>(
        target,
        method,
      );
      return (...args: readonly unknown[]) =>
        process.call(`${name}.${String(method)} ${args.map(brief).join(' ')}`, () => act(...args));
    },
  }) as Remote<Port>;

const ledgerPort = (world: World, process: Process): Ledger => {
  const { ledger } = world;
  const moments = remote(process, 'ledger', {
    id: ({ workspace, messageId }: LedgerKey) => ledger.id(workspace, messageId, process.now()),
    head: (key: LedgerKey) => ledger.head(key),
    story: (key: LedgerKey) => ledger.story(key),
    writeStory: (...story: Parameters<typeof ledger.writeStory>) => ledger.writeStory(...story),
  });
  const { bodyOf, commit } = remote(process, 'ledger', {
    ...ledgerIn(ledger, process),
    async commit(commit) {
      const { entry, lease } = commit;
      const conflict = ledger.commit(commit, world.scheduler.now);
      if (conflict) return conflict;
      if (lease) world.leases.granted(logKey(entry), lease.until, process);
      world.committers.set(entry.messageId, process.name);
      return undefined;
    },
  } satisfies Ledger);
  return {
    bodyOf,
    // Three moments, in any order: a batch read is not a transaction.
    async read(key) {
      const [accepted, head, story] = await Promise.all([
        moments.id(key),
        moments.head(key),
        moments.story(key),
      ]);
      return { head, ...(accepted ? { accepted } : {}), ...(story ? { story } : {}) };
    },
    async commit(asked) {
      const conflict = await commit(asked);
      if (!conflict && asked.story && !ledger.rules.storyInside)
        await moments.writeStory(asked.entry.workspace, asked.story);
      return conflict;
    },
  };
};

const logPort = (world: World, process: Process): Log => {
  const log = logIn(world.ledger);
  const port: Log = remote(process, 'log', {
    ...log,
    entries: async (...range) => (await log.entries(...range)).slice(0, world.pageSize),
    async acquire(of, lease, now) {
      const head = await log.acquire(of, lease, now);
      if (head) world.leases.granted(logKey(of), lease.until, process);
      return head;
    },
    markExpired: async ({ correlationId }, number) =>
      world.fail('I1', `${process.name} gives up entry ${number} of ${correlationId}`),
  } satisfies Log);
  return {
    ...port,
    release: (of, ...facts) => {
      world.leases.givenBack(logKey(of), process);
      return port.release(of, ...facts);
    },
  };
};

const ended = ({ lease: _given, problem: _past, ...rest }: Replay) => rest;

const replaysPort = (world: World, process: Process): Replays => {
  const { replays } = world.ledger;
  const { leases } = world.replayWatch;
  const running = (id: string): Replay | undefined => {
    const replay = replays.get(id);
    return replay?.status === 'running' ? replay : undefined;
  };
  const held = (id: string, owner: string) =>
    running(id)?.lease?.owner === owner ? running(id) : undefined;
  const port: Replays = remote(process, 'replays', {
    add: async replay => void replays.set(replay.id, replay),
    find: async id => replays.get(id),
    findAll: async ids => ids.map(id => replays.get(id)).filter(one => one !== undefined),
    running: async () => [...replays.keys()].filter(running),
    async acquire(id, lease, now) {
      const replay = running(id);
      if (!replay || !isFree(replay.lease, now)) return undefined;
      replays.set(id, { ...replay, lease });
      leases.granted(id, lease.until, process);
      return replay;
    },
    async progress(id, lease, done) {
      const replay = held(id, lease.owner);
      if (!replay) return false;
      replays.set(id, { ...replay, ...done, lease });
      leases.granted(id, lease.until, process);
      return true;
    },
    async release(id, owner, problem) {
      const replay = held(id, owner);
      if (replay)
        replays.set(id, { ...ended(replay), ...(problem === undefined ? {} : { problem }) });
    },
    async end(id, outcome) {
      const replay = running(id);
      if (!replay) return false;
      replays.set(id, { ...ended(replay), ...outcome, waiting: [] });
      world.replayWatch.ended(id);
      return true;
    },
  } satisfies Replays);
  return {
    ...port,
    release: (id, ...facts) => {
      leases.givenBack(id, process);
      return port.release(id, ...facts);
    },
  };
};

const queuesPort = (world: World, process: Process): Queues => {
  const { scheduler } = world;
  const port: Queues = remote(process, 'queues', {
    async send(queue, entry, replay) {
      if (world.isBroken(queue))
        throw new Error(`The queue ${queue} accepts nothing at the moment.`);
      const target = world.queues.get(queue);
      // A new queue is not known everywhere at once.
      const { throttle } = world.faults;
      if (!target || (throttle > 0 && scheduler.random.chance(throttle / 5))) return 'gone';
      const deduplicationId = world.deduplicationIdOf(entry, replay);
      target.send(entry, {
        deduplicationId,
        at: scheduler.now,
        ...(replay === undefined ? {} : { replay }),
      });
      return 'sent';
    },
  } satisfies Queues);
  return {
    async send(queue, entry, replay) {
      if (replay === undefined) world.leases.check(logKey(entry), process, entry.messageId);
      else world.replayWatch.sends(replay, process, world.pageSize);
      if (replay !== undefined && world.freezes > 0) {
        world.freezes -= 1;
        // Longer than a lease plus the difference between two clocks.
        process.freeze(limits.replayLeaseMilliseconds + 15_000);
      }
      return port.send(queue, entry, replay);
    },
  };
};

const inboxPort = (world: World, process: Process): Inbox => {
  const { scheduler } = world;
  /** As on AWS, a call of a queue that was deleted fails as a whole. */
  const existing = (name: string): SimQueue => {
    const queue = world.queue(name);
    if (!queue) throw Object.assign(new Error(`No queue ${name}.`), { name: 'QueueDoesNotExist' });
    return queue;
  };
  /** The service fails to handle some entries of a batch, and handles the others. */
  const inBatch = async (
    what: string,
    handles: readonly string[],
    settle: (handle: string) => boolean,
  ): Promise<readonly string[]> => {
    const { random } = scheduler;
    const { throttle } = world.faults;
    const isFailing = throttle > 0 && random.chance(throttle);
    const broken = isFailing ? handles.filter(() => random.chance(0.5)) : [];
    const sound = handles.filter(handle => !broken.includes(handle));
    const failing = broken.length > 0 ? `, failing ${broken.join(' ')}` : '';
    const refused = await process.call(`inbox.${what} ${sound.join(' ')}${failing}`, () =>
      sound.filter(handle => !settle(handle)),
    );
    if (broken.length > 0) throw new Error(`The queue service failed: ${broken.length} entries.`);
    return refused;
  };
  return {
    receive: (queue, { max, visibilitySeconds }) =>
      process.call(`inbox.receive ${queue}`, () =>
        existing(queue).receive(max, visibilitySeconds, scheduler.now),
      ),
    delete: (queue, handles) =>
      inBatch('delete', handles, handle => existing(queue).delete(handle, scheduler.now)),
    release: (queue, handles, delaySeconds) =>
      inBatch('release', handles, handle =>
        existing(queue).release(handle, delaySeconds, scheduler.now),
      ),
  };
};

/** The ports of one process. */
export const portsOf = (world: World, process: Process): AllPorts => {
  const { ledger, scheduler } = world;
  const archive = archiveIn(ledger, position => world.isIndexed(position));
  return {
    clock: { now: () => process.now(), sleep: milliseconds => process.sleep(milliseconds) },
    ids: { random: bytes => scheduler.random.bytes(bytes) },
    metrics: { report: () => undefined },
    // A record is no part of what is simulated: it never fails a call.
    recorder: { record: async () => undefined },
    registry: remote(
      process,
      'registry',
      registryOver({ connections: () => [...world.connections.values()] }),
    ),
    ledger: ledgerPort(world, process),
    log: logPort(world, process),
    backlog: remote(process, 'backlog', backlogIn(ledger)),
    archive: remote(process, 'archive', {
      ...archive,
      page: (range, max) => archive.page(range, Math.min(max, world.pageSize)),
    } satisfies Pick<Archive, 'page' | 'entries'>),
    replays: replaysPort(world, process),
    queues: queuesPort(world, process),
    inbox: inboxPort(world, process),
    receipts: remote(process, 'receipts', receiptsIn(ledger, process)),
    // A process remembers the keys.
    seals: sealsInMemory,
    // Simulated pulls do not wait.
    polls: pollsInMemory(process),
  };
};
