import { groupsOf, memberReceipt, namedReceipts, readReceipt } from '../../lib/consuming/receipts.ts';
import { release } from '../../lib/consuming/settle.ts';
import type { Entry } from '../../lib/delivery/log.ts';
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
    const receipt = readReceipt(text);
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
  return release({ ...ports, receipts: { ...ports.receipts, find } })(consumer, texts, delaySeconds);
};

/** A nack that takes every block for the result of a finished nack. */
const onlyOnce: UseCases['release'] = ports => async (consumer, texts, delaySeconds) => {
  const groups = groupsOf(namedReceipts(texts));
  const blocked = (await ports.receipts.find(consumer.id, groups)).flatMap(({ id, handles, blockedFrom }) =>
    handles.flatMap((_, position) =>
      position >= (blockedFrom ?? handles.length) ? memberReceipt(id, position) : [],
    ),
  );
  const fresh = texts.filter(text => !blocked.includes(text));
  return fresh.length > 0 ? release(ports)(consumer, fresh, delaySeconds) : { ok: [], failed: [] };
};

let tries = 0;

/** The bugs that the simulation must find. */
export const plantedBugs: readonly Variant[] = [
  ...plantedReplayBugs,
  { name: 'no lease', breaks: 'L', rules: { leases: false } },
  { name: 'the lease is taken over before its end', breaks: 'L', rules: { expiryOfLeases: false } },
  {
    name: 'a new deduplication id with every try',
    breaks: 'D',
    deduplicationIdOf: () => entry => {
      tries += 1;
      return `${entry.messageId}.${tries}`;
    },
  },
  { name: 'the head moves before the entry is sent', breaks: 'I1', rules: { publishedAfterSend: false } },
  {
    name: 'sent before it is committed',
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
    breaks: 'P',
    ports: ports => ({
      ...ports,
      registry: {
        ...ports.registry,
        consumersOf: async workspace =>
          (await ports.registry.consumersOf(workspace)).map(one => ({ ...one, status: 'active' as const })),
      },
    }),
  },
  { name: 'the relay sends the last entry first', breaks: 'I2', useCases: { relay: backwards } },
  {
    name: 'entry n+1 is sent inline while n waits',
    breaks: 'I1',
    ports: ports => {
      const published = new Map<string, number>();
      return {
        ...ports,
        ledger: {
          ...ports.ledger,
          read: async key => {
            const state = await ports.ledger.read(key);
            published.set(key.correlationId, state.head.published);
            return { ...state, head: { ...state.head, published: state.head.last } };
          },
          commit: commit =>
            ports.ledger.commit({
              ...commit,
              head: { ...commit.head, published: published.get(commit.entry.correlationId) ?? 0 },
            }),
        },
      };
    },
  },
  { name: 'the commit has no conditions', breaks: ['L', 'I5'], rules: { conditions: false } },
  { name: 'the story is written outside the transaction', breaks: 'I6', rules: { storyInside: false } },
  {
    name: 'a partial fan-out is forgotten',
    breaks: 'I1',
    ports: ports => ({
      ...ports,
      queues: { ...ports.queues, send: (...args) => ports.queues.send(...args).catch(() => 'sent' as const) },
    }),
  },
  {
    name: 'expired ids are left to the deletion by TTL',
    breaks: 'liveness',
    rules: { expiryInCondition: false },
  },
  {
    name: 'a transaction conflict is answered as a duplicate',
    breaks: 'I1',
    ports: ports => {
      const conflicts = new Set<string>();
      return {
        ...ports,
        ledger: {
          ...ports.ledger,
          read: async key => {
            const state = await ports.ledger.read(key);
            const hash = [...conflicts].find(text => text.startsWith(key.messageId));
            return hash === undefined || state.accepted
              ? state
              : {
                  ...state,
                  head: { ...state.head, published: state.head.last },
                  accepted: {
                    messageId: key.messageId,
                    bodyHash: hash.slice(key.messageId.length),
                    correlationId: key.correlationId,
                    number: state.head.last,
                    attempt: 'a twin',
                  },
                };
          },
          commit: async commit => {
            const conflict = await ports.ledger.commit(commit);
            if (conflict) conflicts.add(commit.entry.messageId + commit.bodyHash);
            return conflict;
          },
        },
      };
    },
  },
  {
    name: 'a nack skips the followers',
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
    breaks: 'I2',
    ports: ports => ({ ...ports, receipts: { ...ports.receipts, block: async () => true } }),
  },
  {
    name: 'a nack with a used handle returns those after it',
    breaks: 'U',
    ports: ports => ({ ...ports, receipts: { ...ports.receipts, acknowledge: async () => true } }),
  },
  {
    name: 'a message that was returned with a delay can be acknowledged',
    breaks: ['I2', 'U'],
    ports: ports => ({
      ...ports,
      receipts: {
        ...ports.receipts,
        save: async (connection, groups) => {
          const pulled = groups.filter(({ returned }) => returned === undefined);
          if (pulled.length > 0) await ports.receipts.save(connection, pulled);
        },
      },
    }),
  },
  { name: 'followers are blocked, but not released', breaks: 'N', useCases: { release: askedOnly } },
  { name: 'a nack that failed half-way cannot be repeated', breaks: 'N', useCases: { release: onlyOnce } },
  {
    name: 'a replay inside the deduplication window',
    breaks: 'R',
    deduplicationIdOf: () => entry => entry.messageId,
  },
  {
    name: 'a queue that did not take an entry is recorded as if it had',
    breaks: 'I1',
    ports: ports => ({
      ...ports,
      log: {
        ...ports.log,
        markDelivered: entry =>
          ports.log.markDelivered(
            entry,
            entry.targets.map(({ connection }) => connection),
          ),
      },
    }),
  },
  {
    name: 'a missing queue is skipped, whoever owns it',
    breaks: ['I1', 'I2'],
    ports: ports => ({
      ...ports,
      queues: {
        ...ports.queues,
        send: async (...args) => {
          await ports.queues.send(...args);
          return 'sent';
        },
      },
    }),
  },
  {
    name: 'a refusal is believed although a twin may have been committed meanwhile',
    breaks: 'I3',
    ports: ports => {
      let seen: Awaited<ReturnType<AllPorts['ledger']['read']>> | undefined;
      return {
        ...ports,
        ledger: {
          ...ports.ledger,
          read: async key => {
            seen ??= await ports.ledger.read(key);
            return seen;
          },
          commit: commit => {
            seen = undefined;
            return ports.ledger.commit(commit);
          },
        },
      };
    },
  },
  {
    name: 'an unknown commit is answered as not accepted',
    breaks: 'I3',
    ports: ports => {
      let lost = false;
      return {
        ...ports,
        ledger: {
          ...ports.ledger,
          read: key => (lost ? Promise.reject(new Error('lost')) : ports.ledger.read(key)),
          commit: commit =>
            ports.ledger.commit(commit).catch(() => {
              lost = true;
              return { id: false, head: true, story: false };
            }),
        },
      };
    },
  },
];
