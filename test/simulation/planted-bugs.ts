import {
  groupsOf,
  memberReceipt,
  namedReceipts,
  readReceipt,
} from '../../lib/bus/consuming/receipts.ts';
import { release } from '../../lib/bus/consuming/settle.ts';
import type { Entry, LedgerState } from '../../lib/bus/delivery/log.ts';
import { sealer } from '../support/fakes/seals.ts';
import { plantedReplayBugs } from './planted-replay-bugs.ts';
import type { AllPorts } from './ports-of.ts';
import type { UseCases, Variant } from './variant.ts';

const inTurn = (ports: AllPorts, entry: Entry) =>
  Promise.all(entry.targets.map(({ queue }) => ports.queues.send(queue, entry)));

/** A relay that sends a log's last entry first. */
const backwards: UseCases['relay'] = ports => async () => {
  for (const log of await ports.backlog.due(ports.clock.now() - 1_000, 100)) {
    const now = ports.clock.now();
    const lease = { owner: `relay-${now}`, until: now + 6_000 };
    const head = await ports.log.acquire(log, lease, now);
    if (!head) continue;
    const entries = await ports.log.entries(log, head.published + 1, head.last);
    for (const entry of [...entries].reverse()) {
      await Promise.all(entry.targets.map(({ queue }) => ports.queues.send(queue, entry)));
    }
    await ports.log.release(log, lease, { published: head.last, unsentSince: now, dueAt: now });
  }
};

const positionsOf = (texts: readonly string[], group: string): readonly number[] =>
  texts.flatMap(text => {
    const receipt = readReceipt({ sealer, connection: '' }, text);
    return receipt?.kind === 'member' && receipt.group === group ? [receipt.position] : [];
  });

/** A nack that blocks the messages after the last one in the request, but leaves them hidden. */
const askedOnly: UseCases['release'] = ports => (consumer, texts, delaySeconds) => {
  const find: AllPorts['receipts']['find'] = async (...args) => {
    const groups = await ports.receipts.find(...args);
    return groups.map(group => ({
      ...group,
      handles: group.handles.slice(0, Math.max(...positionsOf(texts, group.id)) + 1),
    }));
  };
  return release({ ...ports, receipts: { ...ports.receipts, find } })(
    consumer,
    texts,
    delaySeconds,
  );
};

/** A nack that takes every block for the result of a finished nack. */
const onlyOnce: UseCases['release'] = ports => async (consumer, texts, delaySeconds) => {
  const groups = groupsOf(namedReceipts({ sealer, connection: consumer.id }, texts));
  const blocked = (await ports.receipts.find(consumer.id, groups)).flatMap(
    ({ id, handles, blockedFrom }) =>
      handles.flatMap((_, position) =>
        position >= (blockedFrom ?? handles.length) ? memberReceipt(id, position) : [],
      ),
  );
  const fresh = texts.filter(text => !blocked.includes(text));
  return fresh.length > 0 ? release(ports)(consumer, fresh, delaySeconds) : { ok: [], failed: [] };
};

/** A process whose calls of one port are others. */
const replacing =
  <Name extends keyof AllPorts>(
    name: Name,
    calls: (port: AllPorts[Name]) => Partial<AllPorts[Name]>,
  ): NonNullable<Variant['ports']> =>
  ports => ({ ...ports, [name]: { ...ports[name], ...calls(ports[name]) } });

let tries = 0;

/** The bugs that the simulation must find. */
export const plantedBugs: readonly Variant[] = [
  ...plantedReplayBugs,
  { name: 'no lease', seed: 2, breaks: 'L', rules: { leases: false } },
  {
    name: 'the lease is taken over before its end',
    seed: 2,
    breaks: 'L',
    rules: { expiryOfLeases: false },
  },
  {
    name: 'a new deduplication id with every try',
    seed: 10,
    breaks: 'D',
    deduplicationIdOf: () => entry => {
      tries += 1;
      return `${entry.messageId}.${tries}`;
    },
  },
  {
    name: 'the head moves before the entry is sent',
    seed: 1,
    breaks: 'I1',
    rules: { publishedAfterSend: false },
  },
  {
    name: 'sent before it is committed',
    seed: 1,
    breaks: 'L',
    ports: ports => ({
      ...ports,
      ledger: {
        ...ports.ledger,
        commit: async commit => {
          // Needs no lease: there is none before the commit.
          await inTurn(ports, commit.entry).catch(() => undefined);
          return ports.ledger.commit(commit);
        },
      },
    }),
  },
  {
    name: 'a paused consumer gets what is new',
    seed: 4,
    breaks: 'P',
    ports: replacing('registry', registry => ({
      consumersOf: async workspace =>
        (await registry.consumersOf(workspace)).map(one => ({ ...one, status: 'active' as const })),
    })),
  },
  {
    name: 'the relay sends the last entry first',
    seed: 15,
    breaks: 'I2',
    useCases: { relay: backwards },
  },
  {
    name: 'entry n+1 is sent inline while n waits',
    seed: 1,
    breaks: 'I1',
    ports: replacing('ledger', ledger => {
      const published = new Map<string, number>();
      return {
        read: async key => {
          const state = await ledger.read(key);
          published.set(key.correlationId, state.head.published);
          return { ...state, head: { ...state.head, published: state.head.last } };
        },
        commit: commit =>
          ledger.commit({
            ...commit,
            head: { ...commit.head, published: published.get(commit.entry.correlationId) ?? 0 },
          }),
      };
    }),
  },
  {
    name: 'the commit has no conditions',
    seed: 1,
    breaks: ['L', 'I5'],
    rules: { conditions: false },
  },
  {
    name: 'the story is written outside the transaction',
    seed: 3,
    breaks: 'I6',
    rules: { storyInside: false },
  },
  {
    name: 'a partial fan-out is forgotten',
    seed: 1,
    breaks: 'I1',
    ports: replacing('queues', queues => ({
      send: (...args) => queues.send(...args).catch(() => 'sent'),
    })),
  },
  {
    name: 'expired ids are left to the deletion by TTL',
    seed: 2,
    breaks: 'liveness',
    rules: { expiryInCondition: false },
  },
  {
    name: 'a transaction conflict is answered as a duplicate',
    seed: 2,
    breaks: 'I1',
    ports: replacing('ledger', ledger => {
      const hashes = new Map<string, string>();
      return {
        read: async ({ messageId, correlationId, ...key }) => {
          const state = await ledger.read({ messageId, correlationId, ...key });
          const bodyHash = hashes.get(messageId);
          if (bodyHash === undefined || state.accepted) return state;
          const { last } = state.head;
          const accepted = { messageId, bodyHash, correlationId, number: last, attempt: 'a twin' };
          return { ...state, head: { ...state.head, published: last }, accepted };
        },
        commit: async commit => {
          const conflict = await ledger.commit(commit);
          if (conflict) hashes.set(commit.entry.messageId, commit.bodyHash);
          return conflict;
        },
      };
    }),
  },
  {
    name: 'a nack skips the followers',
    seed: 7,
    breaks: 'N',
    useCases: {
      pull:
        ({ inbox }) =>
        async ({ queue }, options) =>
          queue ? inbox.receive(queue, options, '') : [],
      acknowledge:
        ({ inbox }) =>
        async ({ queue }, handles) => {
          const lost = queue ? await inbox.delete(queue, handles) : handles;
          return { ok: handles.filter(handle => !lost.includes(handle)), failed: [] };
        },
      release:
        ({ inbox }) =>
        async ({ queue }, handles, delay) => {
          const lost = queue ? await inbox.release(queue, handles, delay) : handles;
          return { ok: handles.filter(handle => !lost.includes(handle)), failed: [] };
        },
    },
  },
  {
    name: 'followers are released, but not blocked',
    seed: 2,
    breaks: ['I2', 'U'],
    ports: replacing('receipts', () => ({ block: async () => true })),
  },
  {
    name: 'a nack with a used handle returns those after it',
    seed: 1,
    breaks: 'U',
    ports: replacing('receipts', () => ({ acknowledge: async () => true })),
  },
  {
    name: 'a message that was returned with a delay can be acknowledged',
    seed: 105,
    breaks: ['I2', 'U'],
    ports: replacing('receipts', receipts => ({
      save: async (connection, groups) => {
        const pulled = groups.filter(({ returned }) => returned === undefined);
        if (pulled.length > 0) await receipts.save(connection, pulled);
      },
    })),
  },
  {
    name: 'followers are blocked, but not released',
    seed: 2,
    breaks: 'N',
    useCases: { release: askedOnly },
  },
  {
    name: 'a nack that failed half-way cannot be repeated',
    seed: 40,
    breaks: 'N',
    useCases: { release: onlyOnce },
  },
  {
    name: 'a replay inside the deduplication window',
    seed: 1,
    breaks: 'R',
    deduplicationIdOf: () => entry => entry.messageId,
  },
  {
    name: 'a queue that did not take an entry is recorded as if it had',
    seed: 2,
    breaks: 'I1',
    ports: replacing('log', log => ({
      markDelivered: entry =>
        log.markDelivered(
          entry,
          entry.targets.map(({ connection }) => connection),
        ),
    })),
  },
  {
    name: 'a missing queue is skipped, whoever owns it',
    seed: 8,
    breaks: ['I1', 'I2'],
    ports: replacing('queues', queues => ({
      send: (...args) => queues.send(...args).then(() => 'sent'),
    })),
  },
  {
    name: 'a refusal is believed although a twin may have been committed meanwhile',
    seed: 73,
    breaks: 'I3',
    ports: replacing('ledger', ledger => {
      let seen: LedgerState | undefined;
      return {
        read: async key => {
          seen ??= await ledger.read(key);
          return seen;
        },
        commit: commit => {
          seen = undefined;
          return ledger.commit(commit);
        },
      };
    }),
  },
  {
    name: 'an unknown commit is answered as not accepted',
    seed: 3,
    breaks: 'I3',
    ports: replacing('ledger', ledger => {
      let lost = false;
      return {
        read: key => (lost ? Promise.reject(new Error('lost')) : ledger.read(key)),
        commit: commit =>
          ledger.commit(commit).catch(() => {
            lost = true;
            return { id: false, head: true, story: false };
          }),
      };
    }),
  },
];
