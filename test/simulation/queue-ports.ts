import type { Inbox, Receipts } from '../../lib/consuming/receipts.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { Queues } from '../../lib/delivery/queues.ts';
import type { Archive, Replays } from '../../lib/replay/replay.ts';
import type { Process } from './process.ts';
import { logKey } from './sim-ledger.ts';
import type { World } from './world.ts';

export const archivePort = (world: World, process: Process): Archive => {
  const { ledger } = world;
  return {
    page: (range, max) =>
      process.call('archive.page', () =>
        ledger.page(range, Math.min(max, world.pageSize), position => world.isIndexed(position)),
      ),
    entries: async (workspace, summaries) => {
      await process.call('archive.entries', () => summaries.length);
      return summaries.flatMap(summary => {
        const [entry] = ledger.entries({ workspace, ...summary }, summary.number, summary.number);
        return entry ? [{ summary, entry }] : [];
      });
    },
  };
};

export const replaysPort = (world: World, process: Process): Replays => {
  const { replays } = world.ledger;
  return {
    add: replay => process.call('replays.add', () => void replays.set(replay.id, replay)),
    find: id => process.call('replays.find', () => replays.get(id)),
    running: () =>
      process.call('replays.running', () =>
        [...replays.values()].filter(({ status }) => status === 'running').map(({ id }) => id),
      ),
    acquire: (id, lease, now) =>
      process.call(`replays.acquire ${id}`, () => {
        const replay = replays.get(id);
        const free = replay?.lease === undefined || replay.lease.until <= now - 2_000;
        if (replay?.status !== 'running' || !free) return undefined;
        replays.set(id, { ...replay, lease });
        world.replayWatch.leases.granted(id, lease.until, process);
        return replay;
      }),
    progress: (id, lease, done) =>
      process.call(`replays.progress ${id}`, () => {
        const replay = replays.get(id);
        if (replay?.status !== 'running' || replay.lease?.owner !== lease.owner) return false;
        replays.set(id, { ...replay, ...done, lease });
        world.replayWatch.leases.granted(id, lease.until, process);
        return true;
      }),
    release: (id, owner, problem) => {
      world.replayWatch.leases.givenBack(id, process);
      return process.call(`replays.release ${id}`, () => {
        const replay = replays.get(id);
        if (replay?.status !== 'running' || replay.lease?.owner !== owner) return;
        const { lease: _given, problem: _past, ...rest } = replay;
        replays.set(id, { ...rest, ...(problem === undefined ? {} : { problem }) });
      });
    },
    end: (id, outcome) =>
      process.call(`replays.end ${id} ${outcome.status}`, () => {
        const replay = replays.get(id);
        if (replay?.status !== 'running') return false;
        const { lease: _given, problem: _past, ...rest } = replay;
        replays.set(id, { ...rest, ...outcome, waiting: [] });
        world.replayWatch.ended(id);
        return true;
      }),
  };
};

/** The entries of a batch that the service fails to handle; it handles the others. */
const brokenOf = ({ faults, scheduler }: World, handles: readonly string[]): readonly string[] => {
  if (faults.throttle === 0 || !scheduler.random.chance(faults.throttle)) return [];
  return handles.filter(() => scheduler.random.chance(0.5));
};

export const queuesPort = (world: World, process: Process): Queues => ({
  send: async (queue, entry, replay) => {
    if (replay === undefined) world.leases.check(logKey(entry), process, entry.messageId);
    else world.replayWatch.sends(replay, process, world.pageSize);
    if (replay !== undefined && world.freezes > 0) {
      world.freezes -= 1;
      // Longer than a lease plus the difference between two clocks.
      process.freeze(limits.replayLeaseMilliseconds + 15_000);
    }
    const response = await process.call(
      `queues.send ${entry.messageId} to ${queue}${replay ? ` for ${replay}` : ''}`,
      () => {
        const target = world.queues.get(queue);
        if (world.isBroken(queue)) return 'broken' as const;
        const unseen = world.faults.throttle > 0 && world.scheduler.random.chance(world.faults.throttle / 5);
        // A new queue is not known everywhere at once.
        if (!target || unseen) return 'gone' as const;
        target.send(entry, {
          deduplicationId: world.deduplicationIdOf(entry, replay),
          at: world.scheduler.now,
          ...(replay === undefined ? {} : { replay }),
        });
        return 'sent' as const;
      },
    );
    if (response === 'broken') throw new Error(`The queue ${queue} accepts nothing at the moment.`);
    return response;
  },
});

export const inboxPort = (world: World, process: Process): Inbox => {
  const inBatch = async (
    what: string,
    handles: readonly string[],
    settle: (handle: string) => boolean | undefined,
  ): Promise<readonly string[]> => {
    const broken = brokenOf(world, handles);
    const sound = handles.filter(handle => !broken.includes(handle));
    const failing = broken.length > 0 ? `, failing ${broken.join(' ')}` : '';
    const refused = await process.call(`inbox.${what} ${sound.join(' ')}${failing}`, () =>
      sound.filter(handle => !settle(handle)),
    );
    if (broken.length > 0) throw new Error(`The queue service failed: ${broken.length} entries.`);
    return refused;
  };
  return {
    receive: async (queue, { max, visibilitySeconds }) =>
      process.call(
        `inbox.receive ${queue}`,
        () => world.queues.get(queue)?.receive(max, visibilitySeconds, world.scheduler.now) ?? [],
      ),
    delete: (queue, handles) =>
      inBatch('delete', handles, handle => world.queues.get(queue)?.delete(handle, world.scheduler.now)),
    release: (queue, handles, delaySeconds) =>
      inBatch('release', handles, handle =>
        world.queues.get(queue)?.release(handle, delaySeconds, world.scheduler.now),
      ),
  };
};

export const receiptsPort = (world: World, process: Process): Receipts => {
  const { ledger } = world;
  return {
    save: (connection, saved) =>
      process.call(`receipts.save ${saved.map(({ id }) => id).join(' ')}`, () =>
        ledger.saveReceipts(connection, saved),
      ),
    find: (connection, ids) =>
      process.call('receipts.find', () => ledger.findReceipts(connection, ids, process.now())),
    acknowledge: (connection, id, positions) =>
      process.call(`receipts.acknowledge ${id} ${positions.join()}`, () =>
        ledger.acknowledgeReceipts(connection, id, positions),
      ),
    block: (connection, id, positions) =>
      process.call(`receipts.block ${id} ${positions.join()}`, () =>
        ledger.blockReceipts(connection, id, positions),
      ),
    markReturned: (connection, id, positions) =>
      process.call(`receipts.markReturned ${id} ${positions.join()}`, () =>
        ledger.markReturned(connection, id, positions),
      ),
  };
};
