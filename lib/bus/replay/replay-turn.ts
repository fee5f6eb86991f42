import type { Connection } from '../../access/registry/connection.ts';
import { limits } from '../../contract/limits.ts';
import type { AcceptedNames } from '../activity/records.ts';
import { type Entry, isTarget, type Lease } from '../delivery/log.ts';
import { includes, type Replay, type ReplayPorts, type ReplayProgress } from './replay.ts';

export interface Assignment {
  readonly connection: Connection;
  readonly queue: string;
  readonly lease: Lease;
  /** Epoch milliseconds: nothing new is started from then on. */
  readonly deadline: number;
}

/**
 * `sent`: the entry is in the queue. `excluded`: it is not part of the replay. `waits`: it cannot
 * be sent yet, nor anything after it in its log. `over`: the turn is over.
 */
export type EntryOutcome = 'sent' | 'excluded' | 'waits' | 'over';

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

export class ReplayTurn {
  readonly replay: Replay;
  readonly #ports: ReplayPorts;
  readonly #assignment: Assignment;
  readonly #errors: Error[] = [];
  /** By correlation_id: the number up to which the consumer's deliveries are done. */
  readonly #delivered = new Map<string, number>();
  /** Sent and not recorded yet, by message_id: what is sent twice in one turn is recorded once. */
  readonly #unrecorded = new Map<string, AcceptedNames>();
  #lease: Lease;
  /** The earliest time of the next send; epoch milliseconds. */
  #sendAt = 0;

  constructor(ports: ReplayPorts, replay: Replay, assignment: Assignment) {
    this.replay = replay;
    this.#ports = ports;
    this.#assignment = assignment;
    this.#lease = assignment.lease;
  }

  /** Whether nothing more may start: the time is up, or the lease has ended. */
  isOver(): boolean {
    return this.#ports.clock.now() >= Math.min(this.#lease.until, this.#assignment.deadline);
  }

  /** Whether half of the time that was left at `began` is used up; epoch milliseconds. */
  isHalfOver(began: number): boolean {
    return this.#ports.clock.now() >= began + (this.#assignment.deadline - began) / 2;
  }

  /**
   * The end of what may be sent now, in epoch milliseconds: a replay stays slightly behind the
   * present.
   */
  horizon(): number {
    return Math.min(this.replay.to, this.#ports.clock.now() - limits.replayLagMilliseconds);
  }

  /**
   * Saves the progress and extends the lease; false when the lease was lost or the replay was
   * cancelled.
   */
  async save(progress: ReplayProgress): Promise<boolean> {
    const { clock, replays } = this.#ports;
    await this.#record();
    const lease = { owner: this.#lease.owner, until: clock.now() + limits.replayLeaseMilliseconds };
    const held = await replays.progress(this.replay.id, lease, progress);
    if (held) this.#lease = lease;
    return held;
  }

  /** Sends an entry again. An error is collected, and only the entry's own log has to wait. */
  async send(entry: Entry): Promise<EntryOutcome> {
    try {
      return await this.#send(entry);
    } catch (error) {
      this.fail(new Error(`${entry.messageId} was not sent: ${describe(error)}`, { cause: error }));
      return 'waits';
    }
  }

  async #send(entry: Entry): Promise<EntryOutcome> {
    const { connection, queue } = this.#assignment;
    if (!includes(this.replay, connection, entry)) return 'excluded';
    if (await this.#isUndelivered(entry)) return 'waits';
    await this.#keepRate();
    if (this.isOver()) return 'over';
    if ((await this.#ports.queues.send(queue, entry, this.replay.id)) === 'sent') {
      this.#unrecorded.set(entry.messageId, entry);
      return 'sent';
    }
    // Created a moment ago, or deleted by hand: the next turn checks whether the connection still
    // exists.
    this.fail(new Error(`The queue ${queue} cannot be found.`));
    return 'over';
  }

  /**
   * Whether an entry, or an earlier one of its log, is still on its way to the consumer: a replay
   * never overtakes a delivery. Deliveries to other consumers do not count. An entry that is read
   * from the log has the targets that lack it.
   */
  async #isUndelivered(entry: Entry): Promise<boolean> {
    const { log } = this.#ports;
    const { connection } = this.#assignment;
    const { correlationId, number } = entry;
    const known = this.#delivered.get(correlationId) ?? 0;
    if (known >= number) return false;

    const { published } = await log.head(entry);
    let next = Math.max(known, published) + 1;
    while (next <= number) {
      const page = await log.entries(entry, next, number);
      if (page.some(one => isTarget(one, connection.id))) return true;
      next = (page.at(-1)?.number ?? number) + 1;
    }
    this.#delivered.set(correlationId, Math.max(published, number));
    return false;
  }

  async #keepRate(): Promise<void> {
    const { clock } = this.#ports;
    if (this.#sendAt > clock.now()) await clock.sleep(this.#sendAt - clock.now());
    this.#sendAt = clock.now() + 1000 / limits.replayPerSecond;
  }

  fail(error: unknown): void {
    this.#errors.push(error instanceof Error ? error : new Error(String(error)));
  }

  async #record(): Promise<void> {
    const messages = [...this.#unrecorded.values()];
    if (messages.length === 0) return;
    this.#unrecorded.clear();
    const { id, connection, workspace } = this.replay;
    const at = this.#ports.clock.now();
    await this.#ports.recorder.record({
      kind: 'replayed',
      connection,
      workspace,
      at,
      replay: id,
      messages,
    });
  }

  /** Releases the lease, records the first error, and throws all of them. */
  async giveBack(): Promise<void> {
    const { id } = this.replay;
    const [first] = this.#errors;
    await this.#record();
    await this.#ports.replays.release(id, this.#lease.owner, first?.message).catch(() => undefined);
    if (first)
      throw new AggregateError(
        this.#errors,
        `The replay ${id} could not continue: ${first.message}`,
      );
  }
}
