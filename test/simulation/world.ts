import { deduplicationId } from '../../lib/domain/delivery/deduplication-id.ts';
import type { Entry, Lease } from '../../lib/domain/delivery/log.ts';
import type { Connection } from '../../lib/domain/registry/connection.ts';
import type {
  Archive,
  Backlog,
  Clock,
  Correlation,
  Ids,
  Ledger,
  Log,
  Queues,
  Receipts,
  Registry,
  RelayMetrics,
  Replays,
} from '../../lib/ports.ts';
import { type Environment, noFaults, Process } from './process.ts';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { type LedgerRules, logKey, rightRules, SimLedger } from './sim-ledger.ts';
import type { SimQueue } from './sim-queue.ts';

/** Every port there is, as one process sees them. */
export interface AllPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly registry: Registry;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly backlog: Backlog;
  readonly archive: Archive;
  readonly replays: Replays;
  readonly queues: Queues;
  readonly receipts: Receipts;
  readonly metrics: RelayMetrics;
}

interface Grant {
  readonly process: Process;
  until: number;
}

/** Something that must never happen did. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly invariant: string;

  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

export type DeduplicationIdOf = typeof deduplicationId;

export interface WorldOptions {
  readonly seed: number;
  readonly rules?: Partial<LedgerRules>;
  readonly deduplicationIdOf?: DeduplicationIdOf;
  readonly tracing?: boolean;
}

const begin = Date.parse('2026-05-04T09:00:00Z');
/** Two clocks differ by twice this at most. */
const mostSkew = 1_000;

/** The services of one simulated world, their state, and what an all-seeing observer wrote down. */
export class World implements Environment {
  readonly scheduler: Scheduler;
  readonly ledger: SimLedger;
  readonly queues = new Map<string, SimQueue>();
  readonly connections = new Map<string, Connection>();
  readonly lines: string[] = [];
  faults = noFaults;
  processes = 0;
  /** Which process committed which message. */
  readonly committers = new Map<string, string>();
  violation: Violation | undefined;
  readonly #grants = new Map<string, Grant[]>();
  readonly #deduplicationIdOf: DeduplicationIdOf;
  readonly #tracing: boolean;

  constructor({ seed, rules, deduplicationIdOf = deduplicationId, tracing = false }: WorldOptions) {
    this.scheduler = new Scheduler(new Random(seed), begin);
    this.ledger = new SimLedger({ ...rightRules, ...rules });
    this.#deduplicationIdOf = deduplicationIdOf;
    this.#tracing = tracing;
  }

  trace(line: string): void {
    if (!this.#tracing) return;
    const seconds = ((this.scheduler.now - begin) / 1000).toFixed(3).padStart(9);
    this.lines.push(`${seconds}  ${line.length > 260 ? `${line.slice(0, 260)}…` : line}`);
  }

  /** Notes the first violation: the code under test may catch what is thrown inside of it. */
  fail(invariant: string, what: string): void {
    this.trace(`VIOLATION ${invariant}: ${what}`);
    this.violation ??= new Violation(invariant, what);
  }

  process(kind: string): Process {
    this.processes += 1;
    const skew = this.scheduler.random.below(2 * mostSkew + 1) - mostSkew;
    return new Process(`${kind}-${this.processes}`, this, skew);
  }

  queue(name: string): SimQueue | undefined {
    return this.queues.get(name);
  }

  /** A consumer disappears: first from the registry, then its queue. */
  remove(connection: Connection): void {
    this.trace(`the operator revokes ${connection.id}`);
    this.connections.set(connection.id, { ...connection, status: 'revoked' });
    this.scheduler.after(this.scheduler.random.below(500), () => {
      this.trace(`the queue of ${connection.id} is deleted`);
      if (connection.queue) this.queues.delete(connection.queue);
    });
  }

  #granted(log: Correlation, lease: Lease | undefined, process: Process): void {
    if (lease === undefined) return;
    const others = (this.#grants.get(logKey(log)) ?? []).filter(grant => grant.process !== process);
    this.#grants.set(logKey(log), [...others, { process, until: lease.until }]);
  }

  #ended(log: Correlation, process: Process): void {
    const others = (this.#grants.get(logKey(log)) ?? []).filter(grant => grant.process !== process);
    this.#grants.set(logKey(log), others);
  }

  /** L: whoever sends holds a lease that lasts by its own clock, and nobody else does by theirs. */
  #checkSender(entry: Entry, process: Process): void {
    const grants = this.#grants.get(logKey(entry)) ?? [];
    const lasts = grants.filter(grant => grant.process.now() < grant.until);
    if (!lasts.some(grant => grant.process === process)) {
      this.fail('L', `${process.name} sends ${entry.messageId} without a lease`);
    }
    const other = lasts.find(grant => grant.process !== process);
    if (other) this.fail('L', `${process.name} sends while ${other.process.name} holds the lease`);
  }

  /** What a process finds under the names of the ports. */
  ports(process: Process): AllPorts {
    return {
      clock: process2clock(process),
      ids: { random: bytes => this.scheduler.random.bytes(bytes) },
      metrics: { report: () => undefined },
      registry: this.#registry(process),
      ledger: this.#ledgerPort(process),
      log: this.#log(process),
      backlog: this.#backlog(process),
      archive: this.#archive(process),
      replays: this.#replays(process),
      queues: this.#queues(process),
      receipts: this.#receipts(process),
    };
  }

  #registry(process: Process): Registry {
    return {
      connection: id => process.call(`registry.connection ${id}`, () => this.connections.get(id)),
      registrationsOf: async () => [],
      principalsOf: async () => [],
      provider: async () => undefined,
      boundConnection: async () => undefined,
      consumersOf: workspace =>
        process.call('registry.consumersOf', () =>
          [...this.connections.values()].filter(
            one => one.workspace === workspace && one.kind === 'consumer' && one.status === 'active',
          ),
        ),
    };
  }

  #ledgerPort(process: Process): Ledger {
    const { ledger } = this;
    return {
      // Three moments, in any order: a batch read is no transaction.
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
      commit: async commit => {
        const { entry, lease, story } = commit;
        const conflict = await process.call(`ledger.commit ${entry.messageId} as ${entry.number}`, () => {
          const result = ledger.commit(commit, this.scheduler.now);
          if (!result) {
            this.#granted(entry, lease, process);
            this.committers.set(entry.messageId, process.name);
          }
          return result;
        });
        if (conflict || !story || ledger.rules.storyInside) return conflict;
        await process.call('ledger.write story', () => ledger.writeStory(entry.workspace, story));
        return undefined;
      },
    };
  }

  #log(process: Process): Log {
    const { ledger } = this;
    return {
      head: log => process.call(`log.head ${log.correlationId}`, () => ledger.head(log)),
      entries: async (log, from, to) => {
        const numbers = await process.call(
          `log.entries ${log.correlationId} ${from}..${to}`,
          () => ledger.entries(log, from, to).length,
        );
        return ledger.entries(log, from, to).slice(0, numbers);
      },
      acquire: (log, lease, now) =>
        process.call(`log.acquire ${log.correlationId}`, () => {
          const head = ledger.acquire(log, lease, now);
          if (head) this.#granted(log, lease, process);
          return head;
        }),
      release: (log, lease, facts) => {
        this.#ended(log, process);
        return process.call(`log.release ${log.correlationId} at ${facts.published}`, () =>
          ledger.release(log, lease, facts),
        );
      },
      skip: (entry, connections) =>
        process.call(`log.skip ${entry.messageId} for ${connections.join(' ')}`, () =>
          ledger.skip(entry, connections),
        ),
    };
  }

  #backlog(process: Process): Backlog {
    const { ledger } = this;
    return {
      oldest: (until, most) => process.call('backlog.oldest', () => ledger.pending(until, most)),
      count: () =>
        process.call('backlog.count', () => ledger.pending(Number.POSITIVE_INFINITY, 10_000).length),
    };
  }

  #archive(process: Process): Archive {
    const { ledger } = this;
    return {
      page: (range, most) => process.call('archive.page', () => ledger.page(range, most)),
      entries: async (workspace, places) => {
        await process.call('archive.entries', () => places.length);
        return places.flatMap(place => {
          const [entry] = ledger.entries({ workspace, ...place }, place.number, place.number);
          return entry ? [{ place, entry }] : [];
        });
      },
    };
  }

  #replays(process: Process): Replays {
    const { replays } = this.ledger;
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
          return replay;
        }),
      progress: (id, lease, done) =>
        process.call(`replays.progress ${id}`, () => {
          const replay = replays.get(id);
          if (replay?.status !== 'running' || replay.lease?.owner !== lease.owner) return false;
          replays.set(id, { ...replay, ...done, lease });
          return true;
        }),
      release: (id, owner) =>
        process.call(`replays.release ${id}`, () => {
          const replay = replays.get(id);
          if (replay?.lease?.owner !== owner) return;
          const { lease: _given, ...rest } = replay;
          replays.set(id, rest);
        }),
      end: (id, outcome) =>
        process.call(`replays.end ${id} ${outcome.status}`, () => {
          const replay = replays.get(id);
          if (replay?.status !== 'running') return false;
          replays.set(id, { ...replay, ...outcome });
          return true;
        }),
    };
  }

  #queues(process: Process): Queues {
    return {
      send: (queue, entry, replay) => {
        if (replay === undefined) this.#checkSender(entry, process);
        return process.call(
          `queues.send ${entry.messageId} to ${queue}${replay ? ` for ${replay}` : ''}`,
          () => {
            const target = this.queues.get(queue);
            const unseen = this.faults.throttle > 0 && this.scheduler.random.chance(this.faults.throttle / 5);
            // A queue made a moment ago is not known everywhere yet.
            if (!target || unseen) return 'gone' as const;
            target.send(entry, {
              deduplicationId: this.#deduplicationIdOf(entry, replay),
              at: this.scheduler.now,
              ...(replay === undefined ? {} : { replay }),
            });
            return 'sent' as const;
          },
        );
      },
      receive: async (queue, { max, visibilitySeconds }) =>
        process.call(
          `queues.receive ${queue}`,
          () => this.queues.get(queue)?.receive(max, visibilitySeconds, this.scheduler.now) ?? [],
        ),
      delete: (queue, handles) =>
        process.call(`queues.delete ${handles.join(' ')}`, () =>
          handles.filter(handle => !this.queues.get(queue)?.delete(handle, this.scheduler.now)),
        ),
      release: (queue, handles, delaySeconds) =>
        process.call(`queues.release ${handles.join(' ')}`, () =>
          handles.filter(
            handle => !this.queues.get(queue)?.release(handle, delaySeconds, this.scheduler.now),
          ),
        ),
    };
  }

  #receipts(process: Process): Receipts {
    const { groups } = this.ledger;
    return {
      save: (connection, saved) =>
        process.call(`receipts.save ${saved.map(({ id }) => id).join(' ')}`, () => {
          for (const group of saved) groups.set(`${connection}#${group.id}`, group);
        }),
      find: (connection, ids) =>
        process.call('receipts.find', () => ids.flatMap(id => groups.get(`${connection}#${id}`) ?? [])),
      block: (connection, id, from) =>
        process.call(`receipts.block ${id} from ${from}`, () => {
          const group = groups.get(`${connection}#${id}`);
          if (!group || (group.blockedFrom ?? Number.POSITIVE_INFINITY) <= from) return;
          groups.set(`${connection}#${id}`, { ...group, blockedFrom: from });
        }),
    };
  }
}

const process2clock = (process: Process): Clock => ({
  now: () => process.now(),
  sleep: milliseconds => process.sleep(milliseconds),
});
