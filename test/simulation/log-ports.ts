import type { Ledger, Log } from '../../lib/delivery/log.ts';
import type { Backlog } from '../../lib/delivery/relay.ts';
import { isRegistered } from '../../lib/registry/connection.ts';
import type { Registry } from '../../lib/registry/registry.ts';
import type { Process } from './process.ts';
import { logKey } from './sim-ledger.ts';
import type { World } from './world.ts';

export const registryPort = (world: World, process: Process): Registry => {
  return {
    connection: id => process.call(`registry.connection ${id}`, () => world.connections.get(id)),
    isRegistered: id =>
      process.call(`registry.isRegistered ${id}`, () => {
        const connection = world.connections.get(id);
        return connection !== undefined && isRegistered(connection);
      }),
    principalsOf: async () => [],
    provider: async () => undefined,
    boundConnection: async () => undefined,
    consumersOf: workspace =>
      process.call('registry.consumersOf', () =>
        [...world.connections.values()].filter(
          one => one.workspace === workspace && one.kind === 'consumer' && isRegistered(one),
        ),
      ),
  };
};

export const ledgerPort = (world: World, process: Process): Ledger => {
  const { ledger } = world;
  return {
    // Three moments, in any order: a batch read is not a transaction.
    read: async key => {
      const [accepted, head, story] = await Promise.all([
        process.call(`ledger.read id ${key.messageId}`, () =>
          ledger.id(key.workspace, key.messageId, process.now()),
        ),
        process.call(`ledger.read head ${key.correlationId}`, () => ledger.head(key)),
        process.call(`ledger.read story ${key.storyId}`, () => ledger.story(key)),
      ]);
      return { head, ...(accepted ? { accepted } : {}), ...(story ? { story } : {}) };
    },
    bodyOf: accepted => process.call(`ledger.bodyOf ${accepted.messageId}`, () => ledger.bodyOf(accepted)),
    commit: async commit => {
      const { entry, lease, story } = commit;
      const conflict = await process.call(`ledger.commit ${entry.messageId} as ${entry.number}`, () => {
        const result = ledger.commit(commit, world.scheduler.now);
        if (!result) {
          if (lease) world.leases.granted(logKey(entry), lease.until, process);
          world.committers.set(entry.messageId, process.name);
        }
        return result;
      });
      if (conflict || !story || ledger.rules.storyInside) return conflict;
      await process.call('ledger.write story', () => ledger.writeStory(entry.workspace, story));
      return undefined;
    },
  };
};

export const logPort = (world: World, process: Process): Log => {
  const { ledger } = world;
  return {
    head: log => process.call(`log.head ${log.correlationId}`, () => ledger.head(log)),
    entries: async (log, from, to) => {
      const numbers = await process.call(`log.entries ${log.correlationId} ${from}..${to}`, () =>
        Math.min(world.pageSize, ledger.entries(log, from, to).length),
      );
      return ledger.entries(log, from, to).slice(0, numbers);
    },
    acquire: (log, lease, now) =>
      process.call(`log.acquire ${log.correlationId}`, () => {
        const head = ledger.acquire(log, lease, now);
        if (head) world.leases.granted(logKey(log), lease.until, process);
        return head;
      }),
    release: (log, lease, facts) => {
      world.leases.givenBack(logKey(log), process);
      return process.call(`log.release ${log.correlationId} at ${facts.published}`, () =>
        ledger.release(log, lease, facts),
      );
    },
    markExpired: async (log, number) =>
      world.fail('I1', `${process.name} gives up entry ${number} of ${log.correlationId}`),
    markDelivered: (entry, connections) =>
      process.call(`log.reach ${entry.messageId} for ${connections.join(' ')}`, () =>
        ledger.reach(entry, connections),
      ),
    markSkipped: (entry, connections) =>
      process.call(`log.skip ${entry.messageId} for ${connections.join(' ')}`, () =>
        ledger.skip(entry, connections),
      ),
  };
};

export const backlogPort = (world: World, process: Process): Backlog => {
  const { ledger } = world;
  return {
    due: (until, max) => process.call('backlog.due', () => ledger.pending(until, max)),
    unsentSince: max =>
      process.call('backlog.unsentSince', () => {
        const heads = ledger.pending(Number.POSITIVE_INFINITY, max).map(log => ledger.head(log));
        const times = heads.flatMap(({ unsentSince }) => unsentSince ?? []);
        return times.length === 0 ? undefined : Math.min(...times);
      }),
    count: () => process.call('backlog.count', () => ledger.pending(Number.POSITIVE_INFINITY, 10_000).length),
  };
};
