import { type Connection, isRegistered } from '../../lib/access/registry/connection.ts';
import { matches } from '../../lib/access/registry/patterns.ts';
import type { Received } from '../../lib/bus/consuming/receipts.ts';
import type { Entry } from '../../lib/bus/delivery/log.ts';
import type { Verdict } from '../../lib/bus/publishing/verdict.ts';
import type { Replay } from '../../lib/bus/replay/replay.ts';
import { limits } from '../../lib/contract/limits.ts';
import { deduplicationMilliseconds } from '../../lib/local/engines/sqs/state.ts';
import type { StoryState } from '../../lib/som/stories/sequence-rules.ts';
import type { Draft } from './messages.ts';
import type { Taken } from './sim-queue.ts';
import type { World } from './world.ts';

interface Delivery {
  readonly messageId: string;
  readonly correlationId: string;
  readonly body: string;
}

/** Whether a replay was asked for an entry. */
const isAsked = ({ from, to, type = '*', correlationId }: Replay, entry: Entry): boolean =>
  matches(type, entry.messageType) &&
  (correlationId ?? entry.correlationId) === entry.correlationId &&
  entry.acceptedAt >= from &&
  entry.acceptedAt < to;

/**
 * Observes the service from outside, and reports which invariant was broken, at the latest after
 * the run.
 */
export class Observer {
  readonly #world: World;
  readonly #drafts = new Map<string, Draft>();
  readonly #validated = new Set<string>();
  /** First deliveries per consumer, in their order. */
  readonly #delivered = new Map<string, Delivery[]>();
  /** Also those that were deleted meanwhile. */
  readonly #taken = new Map<string, readonly Taken[]>();

  constructor(world: World) {
    this.#world = world;
  }

  #fail(invariant: string, what: string): void {
    this.#world.fail(invariant, what);
  }

  get #committed(): readonly Entry[] {
    return this.#world.ledger.committed.map(({ commit }) => commit.entry);
  }

  /** Begins to watch all queues. */
  watch(): void {
    for (const [name, queue] of this.#world.queues) this.#taken.set(name, queue.taken);
  }

  submitted(draft: Draft): void {
    this.#drafts.set(draft.messageId, draft);
  }

  onlyValidated(draft: Draft): void {
    this.#validated.add(draft.messageId);
  }

  #entry(messageId: string): Entry | undefined {
    return this.#world.ledger.committed.find(({ commit }) => commit.entry.messageId === messageId)
      ?.commit.entry;
  }

  /** A verdict is checked at the moment it is given. */
  answered(draft: Draft, response: Verdict | 'fault' | 'no response', process: string): void {
    const { messageId } = draft;
    if (response === 'fault') this.#refused(messageId, 'registry.unavailable', process);
    if (typeof response === 'string') return;
    if (response.kind === 'refused') {
      this.#refused(messageId, response.violations[0].rule, process);
      return;
    }
    const entry = this.#entry(messageId);
    const says = `${process} answers ${messageId} as ${response.kind}`;
    if (!entry) this.#fail('I1', `${says}, and it is not in the ledger`);
    for (const { queue, connection } of entry?.targets ?? []) {
      const has = this.#taken.get(queue)?.some(taken => taken.entry.messageId === messageId);
      if (!has && isRegistered(this.#world.connections.get(connection)))
        this.#fail('I1', `${says} before ${connection}'s queue has it`);
    }
  }

  #refused(messageId: string, rule: string, process: string): void {
    if (rule === 'bus.publish_failed') return;
    const isVerdict = rule !== 'registry.unavailable' && rule !== 'commit.contention';
    if (isVerdict && this.#entry(messageId))
      this.#fail('I3', `${process} refuses ${messageId} (${rule}), and it is in the ledger`);
    // "Nothing was accepted" holds for the attempt that says so, including what arrives later.
    this.#denied.push({ messageId, process, rule });
  }

  readonly #denied: { messageId: string; process: string; rule: string }[] = [];

  received(consumer: Connection, received: readonly Received[]): void {
    const delivered = this.#delivered.get(consumer.id) ?? [];
    this.#delivered.set(consumer.id, delivered);
    for (const message of received)
      if (!delivered.some(({ messageId }) => messageId === message.messageId))
        delivered.push(message);
  }

  /** The checks that are possible when nothing moves any more. */
  checkAll(): void {
    this.#checkLedger();
    this.#checkStories();
    this.#checkDenied();
    for (const connection of this.#world.connections.values()) {
      if (connection.kind !== 'consumer' || connection.queue === undefined) continue;
      this.#checkQueue(connection, this.#taken.get(connection.queue) ?? []);
      if (isRegistered(connection)) this.#checkDelivered(connection);
    }
    this.#checkPauses();
    this.#checkReplays();
  }

  /**
   * P: nothing is committed for a consumer that was paused from the beginning of the publish to its
   * commit.
   */
  #checkPauses(): void {
    for (const { connection, from, to } of this.#world.pauses) {
      for (const { commit, at } of this.#world.ledger.committed) {
        const begun =
          this.#world.starts.get(this.#world.committers.get(commit.entry.messageId) ?? '') ?? 0;
        // An id may be committed again after its window: `begun` belongs to the latest.
        const paused = begun >= from && at >= begun && at < to;
        if (paused && commit.entry.targets.some(target => target.connection === connection))
          this.#fail(
            'P',
            `${commit.entry.messageId} was committed for ${connection}, which is paused`,
          );
      }
    }
  }

  #checkDenied(): void {
    for (const { messageId, process, rule } of this.#denied)
      if (this.#world.committers.get(messageId) === process)
        this.#fail(
          'I3',
          `${process} says that ${messageId} was not accepted (${rule}), and committed it`,
        );
  }

  /** I5, and the log's numbers. */
  #checkLedger(): void {
    const numbers = new Map<string, number>();
    const times = new Map<string, number>();
    for (const { messageId, correlationId, number, acceptedAt, body } of this.#committed) {
      const before = times.get(messageId);
      if (before !== undefined && acceptedAt < before + limits.idempotencySeconds * 1000)
        this.#fail('I5', `${messageId} was committed twice`);
      times.set(messageId, acceptedAt);
      const expected = (numbers.get(correlationId) ?? 0) + 1;
      if (number !== expected)
        this.#fail('I5', `${messageId} has number ${number}, not ${expected}`);
      numbers.set(correlationId, expected);
      if (this.#validated.has(messageId)) this.#fail('I3', `${messageId} was only validated`);
      if (!this.#drafts.get(messageId)?.body.equals(body))
        this.#fail('I4', `${messageId} was changed`);
    }
  }

  /** I6: over the log, every snapshot follows the one before it. */
  #checkStories(): void {
    const last = new Map<string, StoryState>();
    for (const { commit } of this.#world.ledger.committed) {
      if (!commit.story) continue;
      const { state } = commit.story;
      const before = last.get(state.storyId);
      const isBack =
        before &&
        (state.sequenceNumber <= before.sequenceNumber ||
          Date.parse(state.updatedAt) < Date.parse(before.updatedAt));
      if (isBack)
        this.#fail(
          'I6',
          `${state.storyId}: ${state.sequenceNumber} comes after ${before.sequenceNumber}`,
        );
      last.set(state.storyId, state);
    }
  }

  /** I2, and D: within the deduplication window a queue accepts an entry once. */
  #checkQueue(consumer: Connection, taken: readonly Taken[]): void {
    const lastNumber = new Map<string, number>();
    const takenAt = new Map<string, number>();
    const sent = new Set<string>();
    for (const { entry, at, replay } of taken) {
      if (replay !== undefined) {
        this.#checkOvertaking(consumer, entry, { replay, sent });
        continue;
      }
      sent.add(`${entry.correlationId}#${entry.number}`);
      const before = takenAt.get(entry.messageId);
      if (before === undefined) {
        const last = lastNumber.get(entry.correlationId) ?? 0;
        if (entry.number < last)
          this.#fail('I2', `${consumer.id} got entry ${entry.number} after ${last}`);
        lastNumber.set(entry.correlationId, entry.number);
      } else if (at < before + deduplicationMilliseconds) {
        this.#fail('D', `${consumer.id}'s queue took ${entry.messageId} twice within five minutes`);
      }
      takenAt.set(entry.messageId, before ?? at);
      if (!this.#entry(entry.messageId))
        this.#fail('I3', `${consumer.id} got ${entry.messageId}, which was not accepted`);
    }
  }

  /** R: when a replay sends an entry, this consumer's queue has it and all before it of its own. */
  #checkOvertaking(
    { id }: Connection,
    { correlationId, number }: Entry,
    { replay, sent }: { readonly replay: string; readonly sent: ReadonlySet<string> },
  ): void {
    for (const entry of this.#committed) {
      const before = entry.correlationId === correlationId && entry.number <= number;
      const isTarget = before && entry.targets.some(({ connection }) => connection === id);
      if (isTarget && !sent.has(`${correlationId}#${entry.number}`))
        this.#fail('R', `${replay} sent entry ${number} before the delivery of ${entry.number}`);
    }
  }

  /** I1, I2 and I4 as the consumer sees them. */
  #checkDelivered(consumer: Connection): void {
    const delivered = this.#delivered.get(consumer.id) ?? [];
    const seen = new Set(delivered.map(({ messageId }) => messageId));
    const order = new Map<string, string[]>();
    for (const entry of this.#committed) {
      if (!entry.targets.some(({ connection }) => connection === consumer.id)) continue;
      if (!seen.has(entry.messageId))
        this.#fail('I1', `${consumer.id} never got ${entry.messageId}`);
      const ids = order.get(entry.correlationId) ?? [];
      if (!ids.includes(entry.messageId)) order.set(entry.correlationId, [...ids, entry.messageId]);
    }
    for (const [correlationId, ids] of order) {
      const got = delivered.filter(
        one => one.correlationId === correlationId && ids.includes(one.messageId),
      );
      const wrong = got.findIndex(({ messageId }, index) => messageId !== ids[index]);
      if (wrong !== -1)
        this.#fail('I2', `${consumer.id} got ${got[wrong]?.messageId} out of order`);
    }
    for (const { messageId, body } of delivered) {
      const sent = this.#drafts.get(messageId)?.body.toString('utf8');
      if (sent !== body) this.#fail('I4', `${consumer.id} got other bytes of ${messageId}`);
    }
  }

  /**
   * R: a finished replay sent its whole range, in order, whatever the deduplication window holds.
   */
  #checkReplays(): void {
    for (const replay of this.#world.ledger.replays.values()) {
      const consumer = this.#world.connections.get(replay.connection);
      if (replay.status !== 'finished' || consumer?.queue === undefined) continue;
      const taken = (this.#taken.get(consumer.queue) ?? []).filter(one => one.replay === replay.id);
      const last = new Map<string, number>();
      const got = new Set<string>();
      for (const { entry } of taken) {
        const key = `${entry.correlationId}#${entry.number}`;
        const before = last.get(entry.correlationId) ?? 0;
        if (!got.has(key) && entry.number < before)
          this.#fail('R', `${replay.id} sent entry ${entry.number} after ${before}`);
        if (!isAsked(replay, entry))
          this.#fail('R', `${replay.id} sent entry ${entry.number}, which is no part of it`);
        last.set(entry.correlationId, Math.max(before, entry.number));
        got.add(key);
      }
      for (const { commit, at } of this.#world.ledger.committed) {
        const { entry } = commit;
        // A function that was frozen before its commit may come too late for the archive's order.
        const inTime = at <= entry.acceptedAt + limits.replayLagMilliseconds - 3_000;
        if (
          isAsked(replay, entry) &&
          inTime &&
          !got.has(`${entry.correlationId}#${entry.number}`)
        ) {
          this.#fail('R', `${replay.id} left out entry ${entry.number} of ${entry.correlationId}`);
        }
      }
    }
  }
}
