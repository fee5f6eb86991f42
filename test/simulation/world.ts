import type { Connection } from '../../lib/access/registry/connection.ts';
import { deduplicationId } from '../../lib/bus/delivery/queues.ts';
import { type Environment, noFaults, Process } from './process.ts';
import { Random } from './random.ts';
import { Leases, ReplayWatch } from './replay-watch.ts';
import { Scheduler } from './scheduler.ts';
import { type LedgerRules, rightRules, SimLedger } from './sim-ledger.ts';
import type { SimQueue } from './sim-queue.ts';

/** Something happened that must never happen. */
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

/**
 * The services of one simulated world, their state, and the record of an observer who sees
 * everything.
 */
export class World implements Environment {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly ledger: SimLedger;
  readonly queues = new Map<string, SimQueue>();
  readonly connections = new Map<string, Connection>();
  readonly lines: string[] = [];
  faults = noFaults;
  processes = 0;
  /** Which process committed which message. */
  readonly committers = new Map<string, string>();
  /** When each process began. */
  readonly starts = new Map<string, number>();
  readonly pauses: { readonly connection: string; readonly from: number; readonly to: number }[] =
    [];
  violation: Violation | undefined;
  readonly replayWatch = new ReplayWatch((invariant, what) => this.fail(invariant, what));
  /** Of the senders, by log. */
  readonly leases = new Leases((invariant, what) => this.fail(invariant, what));
  /** How many runners of replays are still to be frozen at a send. */
  freezes = 0;
  /** The most entries in one page of the archive or of a log. */
  pageSize = Number.POSITIVE_INFINITY;
  /** The longest delay of the archive's index, in milliseconds. */
  indexLag = 0;
  readonly #lags = new Map<string, number>();
  readonly #lagRandom: Random;
  readonly #outages = new Map<string, number>();
  readonly deduplicationIdOf: DeduplicationIdOf;
  readonly #tracing: boolean;

  constructor({ seed, rules, deduplicationIdOf = deduplicationId, tracing = false }: WorldOptions) {
    this.seed = seed;
    this.scheduler = new Scheduler(new Random(seed), begin);
    this.#lagRandom = new Random(seed ^ 0x7f4a7c15);
    this.ledger = new SimLedger({ ...rightRules, ...rules });
    this.deduplicationIdOf = deduplicationIdOf;
    this.#tracing = tracing;
  }

  trace(told: string | (() => string)): void {
    if (!this.#tracing) return;
    const line = typeof told === 'string' ? told : told();
    const seconds = ((this.scheduler.now - begin) / 1000).toFixed(3).padStart(9);
    this.lines.push(`${seconds}  ${line.length > 260 ? `${line.slice(0, 260)}…` : line}`);
  }

  /**
   * Records the first violation, because the code under test may catch what is thrown inside it.
   */
  fail(invariant: string, what: string): void {
    this.trace(`VIOLATION ${invariant}: ${what}`);
    this.violation ??= new Violation(invariant, what);
  }

  process(kind: string): Process {
    this.processes += 1;
    const skew = this.scheduler.random.below(2 * mostSkew + 1) - mostSkew;
    const name = `${kind}-${this.processes}`;
    this.starts.set(name, this.scheduler.now);
    return new Process(name, this, skew);
  }

  queue(name: string): SimQueue | undefined {
    return this.queues.get(name);
  }

  /** A consumer is paused for a time. */
  pause(connection: Connection, milliseconds: number): void {
    // a revocation is for good
    if (this.connections.get(connection.id)?.status !== 'active') return;
    const { now } = this.scheduler;
    this.trace(`the operator pauses ${connection.id}`);
    this.connections.set(connection.id, { ...connection, status: 'paused' });
    this.pauses.push({ connection: connection.id, from: now, to: now + milliseconds });
    this.scheduler.after(milliseconds, () => {
      if (this.connections.get(connection.id)?.status !== 'paused') return;
      this.trace(`the operator resumes ${connection.id}`);
      this.connections.set(connection.id, connection);
    });
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

  /** A queue accepts nothing for a time. */
  breakQueue(queue: string, milliseconds: number): void {
    this.trace(`${queue} takes nothing for ${milliseconds} ms`);
    this.#outages.set(queue, this.scheduler.now + milliseconds);
  }

  isBroken(queue: string): boolean {
    return (this.#outages.get(queue) ?? 0) > this.scheduler.now;
  }

  /** Whether the archive's index has an entry already: some come at once, some late. */
  isIndexed(position: string): boolean {
    const lag = this.#lags.get(position) ?? (this.#lagRandom.chance(0.5) ? this.indexLag : 0);
    this.#lags.set(position, lag);
    return (this.ledger.committedAt.get(position) ?? 0) + lag <= this.scheduler.now;
  }
}
