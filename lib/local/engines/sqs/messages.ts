import type { SqlValue, Store } from '../store.ts';
import type { PackedMessage, StoredMessage } from './message-contents.ts';

/**
 * AWS docs, ReceiveMessage. A locked group thus has at most 10 messages in flight, and those are
 * its first.
 */
export const maxReceived = 10;

const idsOf = (ids: Iterable<number>) => JSON.stringify([...ids]);

/**
 * The message groups of one queue. A group's `ready_at` is when its first message may be received:
 * in the future while the group is locked, and since when it has been waiting otherwise. Receives
 * take the groups by it, so that nothing has to happen when a visibility timeout ends.
 */
class MessageGroups {
  readonly #store: Store;
  readonly #queue: number;

  constructor(store: Store, queue: number) {
    this.#store = store;
    this.#queue = queue;
  }

  /** When a group becomes ready by itself; undefined when nothing will. */
  nextChangeAt(now: number): number | undefined {
    return this.#store
      .sql<{ readyAt: number }>(
        'SELECT ready_at AS readyAt FROM sqs_groups WHERE queue = ? AND ready_at > ? ORDER BY ' +
          'ready_at LIMIT 1',
      )
      .get(this.#queue, now)?.readyAt;
  }

  /** Makes sure that there is a group of that name: if it is new, under this id. */
  join(name: string, id: number, now: number): void {
    this.#store
      .sql('INSERT INTO sqs_groups VALUES (?, ?, ?, ?) ON CONFLICT (name, queue) DO NOTHING')
      .run(id, this.#queue, name, now);
  }

  lock(groups: Iterable<number>, readyAt: number): void {
    this.#store
      .sql('UPDATE sqs_groups SET ready_at = ? WHERE id IN (SELECT value FROM json_each(?))')
      .run(readyAt, idsOf(groups));
  }

  /** Finds anew when groups are ready; those without messages go. */
  settle(groups: Iterable<number>, now: number): void {
    const ids = idsOf(groups);
    this.#store
      .sql(
        `DELETE FROM sqs_groups WHERE id IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM sqs_messages WHERE group_id = sqs_groups.id)`,
      )
      .run(ids);
    // One that is ready, and was before, keeps its place.
    this.#store
      .sql(
        `UPDATE sqs_groups SET ready_at = (
           SELECT CASE WHEN at > ? THEN at ELSE min(ready_at, ?) END FROM (
             SELECT max(coalesce(r.hidden_until, 0)) AS at FROM (
               SELECT sequence FROM sqs_messages WHERE group_id = sqs_groups.id
                 ORDER BY sequence LIMIT ${maxReceived}
             ) first LEFT JOIN sqs_receives r ON r.sequence = first.sequence))
         WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .run(now, now, ids);
  }
}

/** A message as it is sent to a queue. Times are epoch milliseconds everywhere. */
interface NewMessage {
  readonly sequence: number;
  readonly id: string;
  readonly group: string;
  readonly sentAt: number;
  readonly packed: PackedMessage;
}

export interface AvailableMessage extends StoredMessage {
  readonly sequence: number;
  readonly id: string;
  readonly groupId: number;
  readonly group: string;
  readonly readyAt: number;
  readonly sentAt: number;
  /** How often it was received before; null: never. */
  readonly receives: number | null;
  readonly firstTakenAt: number | null;
}

export interface FoundMessage {
  readonly sequence: number;
  readonly groupId: number;
  readonly receipt: string | null;
  readonly takenAt: number;
  /** 0: visible. */
  readonly hiddenUntil: number;
}

/** AWS docs, "Amazon SQS FIFO queue quotas": further receives are empty, without an error. */
const maxInFlight = 120_000;
const maxExpired = 1_000;

const tables = `
  CREATE TABLE IF NOT EXISTS sqs_groups (
    id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, name TEXT NOT NULL, ready_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS sqs_groups_by_name ON sqs_groups (name, queue);
  CREATE INDEX IF NOT EXISTS sqs_groups_by_readiness ON sqs_groups (queue, ready_at);
  CREATE TABLE IF NOT EXISTS sqs_messages (
    sequence INTEGER PRIMARY KEY, queue INTEGER NOT NULL, group_id INTEGER NOT NULL,
    sent_at INTEGER NOT NULL, id TEXT NOT NULL, facts_bytes INTEGER NOT NULL, coding TEXT,
    content BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS sqs_messages_by_group ON sqs_messages (group_id);
  CREATE INDEX IF NOT EXISTS sqs_messages_by_age ON sqs_messages (queue, sent_at);
  CREATE TABLE IF NOT EXISTS sqs_receives (
    sequence INTEGER PRIMARY KEY, queue INTEGER NOT NULL, receipt TEXT NOT NULL,
    receives INTEGER NOT NULL, first_taken_at INTEGER NOT NULL, taken_at INTEGER NOT NULL,
    hidden_until INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS sqs_receives_by_deadline ON sqs_receives (queue, hidden_until);`;

const columns = `m.sequence, m.id, g.id AS groupId, g.name AS "group", g.ready_at AS readyAt,
  m.sent_at AS sentAt, m.facts_bytes AS factsBytes, m.coding, m.content`;

export const defineMessages = (store: Store): void => store.define(tables);

/**
 * The messages of one queue, in the database. Order holds per group: while a message of a group is
 * in flight, no other call gets one of that group (AWS docs, "FIFO delivery logic"). A row of
 * `sqs_receives` exists only for messages that were received.
 *
 * Changes belong into a transaction. The fields are estimates that spare statements; a new object
 * finds them anew.
 */
export class QueueMessages {
  readonly #store: Store;
  readonly #queue: number;
  readonly #groups: MessageGroups;
  readonly #retentionMilliseconds: number;
  #oldestSentAt = Number.NEGATIVE_INFINITY;
  #maxInFlightNow = maxInFlight;
  #size: number | undefined;

  constructor(store: Store, queue: number, retentionMilliseconds: number) {
    this.#store = store;
    this.#queue = queue;
    this.#retentionMilliseconds = retentionMilliseconds;
    this.#groups = new MessageGroups(store, queue);
  }

  get size(): number {
    this.#size ??= this.#count('sqs_messages WHERE queue = ?', this.#queue);
    return this.#size;
  }

  /** When a group becomes ready by itself; undefined when nothing will. */
  nextChangeAt(now: number): number | undefined {
    return this.#groups.nextChangeAt(now);
  }

  counts(now: number): { visible: number; inFlight: number } {
    const sentAfter = 'sqs_messages m WHERE queue = ? AND sent_at > ?';
    const ours = [this.#queue, now - this.#retentionMilliseconds];
    // Rows of messages past their retention stay until those are removed.
    const kept = `sqs_receives r JOIN (SELECT sequence FROM ${sentAfter}) m ON m.sequence = r.sequence`;
    const inFlight = this.#count(`${kept} WHERE r.hidden_until > ?`, ...ours, now);
    return { visible: this.#count(sentAfter, ...ours) - inFlight, inFlight };
  }

  /** When the oldest message was sent; undefined if there is none. */
  oldestSentAt(now: number): number | undefined {
    const oldest = this.#store
      .sql<{ sentAt: number | null }>(
        'SELECT min(sent_at) AS sentAt FROM sqs_messages WHERE queue = ? AND sent_at > ?',
      )
      .get(this.#queue, now - this.#retentionMilliseconds);
    return oldest?.sentAt ?? undefined;
  }

  /**
   * Removes messages past their retention.
   *
   * @returns false when there are more of them, so that nothing can be said of the rest
   */
  expire(now: number): boolean {
    const sentBefore = now - this.#retentionMilliseconds;
    if (this.#oldestSentAt > sentBefore) return true;
    const expired = this.#store
      .sql<{ sequence: number; groupId: number }>(
        `SELECT sequence, group_id AS groupId FROM sqs_messages WHERE queue = ? AND sent_at <= ?
         LIMIT ${maxExpired}`,
      )
      .all(this.#queue, sentBefore);
    if (expired.length > 0) this.#store.transaction(() => this.remove(expired, now));
    if (expired.length === maxExpired) return false;
    const oldest = this.#store
      .sql<{ sentAt: number | null }>(
        'SELECT min(sent_at) AS sentAt FROM sqs_messages WHERE queue = ?',
      )
      .get(this.#queue);
    this.#oldestSentAt = oldest?.sentAt ?? now;
    return true;
  }

  add({ sequence, id, group, sentAt, packed }: NewMessage): void {
    this.#groups.join(group, sequence, sentAt);
    const { factsBytes, coding, content } = packed;
    this.#store
      .sql(
        `INSERT INTO sqs_messages SELECT ?, queue, id, ?, ?, ?, ?, ? FROM sqs_groups
         WHERE queue = ? AND name = ?`,
      )
      .run(sequence, sentAt, id, factsBytes, coding, content, this.#queue, group);
    this.#oldestSentAt = Math.min(this.#oldestSentAt, sentAt);
    if (this.#size !== undefined) this.#size += 1;
  }

  /**
   * What a receive of up to `max` messages gets: the first ones of each group, the longest-waiting
   * group first.
   */
  available(max: number, now: number): readonly AvailableMessage[] {
    const wanted = Math.min(max, this.#roomInFlight(max, now));
    return this.#store
      .sql<AvailableMessage>(
        `SELECT ${columns}, r.receives, r.first_taken_at AS firstTakenAt
         FROM sqs_groups g CROSS JOIN sqs_messages m ON m.group_id = g.id
         LEFT JOIN sqs_receives r ON r.sequence = m.sequence
         WHERE g.queue = ? AND g.ready_at <= ?
         ORDER BY g.ready_at, g.id, m.sequence LIMIT ?`,
      )
      .all(this.#queue, now, Math.max(0, wanted));
  }

  take(
    messages: readonly AvailableMessage[],
    { receipt, hiddenUntil, now }: { receipt: string; hiddenUntil: number; now: number },
  ): void {
    const until = hiddenUntil > now ? hiddenUntil : 0;
    this.#store
      .sql(
        `INSERT INTO sqs_receives SELECT value, ?, ?, 1, ?, ?, ? FROM json_each(?) WHERE true
         ON CONFLICT (sequence) DO UPDATE SET receipt = excluded.receipt, receives = receives + 1,
         taken_at = excluded.taken_at, hidden_until = excluded.hidden_until`,
      )
      .run(this.#queue, receipt, now, now, until, idsOf(messages.map(({ sequence }) => sequence)));
    this.#groups.lock(new Set(messages.map(({ groupId }) => groupId)), Math.max(now, until));
    this.#maxInFlightNow += messages.length;
  }

  find(sequences: readonly number[], now: number): ReadonlyMap<number, FoundMessage> {
    const found = this.#store
      .sql<FoundMessage>(
        `SELECT m.sequence, m.group_id AS groupId, r.receipt, coalesce(r.taken_at, 0) AS takenAt,
           coalesce(r.hidden_until, 0) AS hiddenUntil
         FROM json_each(?) j CROSS JOIN sqs_messages m ON m.sequence = j.value
         LEFT JOIN sqs_receives r ON r.sequence = m.sequence
         WHERE m.queue = ? AND m.sent_at > ?`,
      )
      .all(idsOf(sequences), this.#queue, now - this.#retentionMilliseconds);
    return new Map(found.map(message => [message.sequence, message]));
  }

  /** Messages that were received, as they were handed out the last time. */
  received(sequences: readonly number[]): readonly AvailableMessage[] {
    return this.#store
      .sql<AvailableMessage>(
        `SELECT ${columns}, r.receives - 1 AS receives, r.first_taken_at AS firstTakenAt
         FROM json_each(?) j CROSS JOIN sqs_messages m ON m.sequence = j.value
         JOIN sqs_groups g ON g.id = m.group_id JOIN sqs_receives r ON r.sequence = m.sequence
         WHERE m.queue = ? ORDER BY j.key`,
      )
      .all(idsOf(sequences), this.#queue);
  }

  /** Moves the end of a message's invisibility; a time not after now makes it visible. */
  hide({ sequence, groupId }: FoundMessage, hiddenUntil: number, now: number): void {
    this.#store
      .sql('UPDATE sqs_receives SET hidden_until = ? WHERE sequence = ?')
      .run(hiddenUntil > now ? hiddenUntil : 0, sequence);
    this.#groups.settle([groupId], now);
  }

  remove(messages: readonly { sequence: number; groupId: number }[], now: number): void {
    const sequences = idsOf(messages.map(({ sequence }) => sequence));
    for (const table of ['sqs_messages', 'sqs_receives'])
      this.#store
        .sql(`DELETE FROM ${table} WHERE sequence IN (SELECT value FROM json_each(?))`)
        .run(sequences);
    if (this.#size !== undefined) this.#size -= messages.length;
    this.#groups.settle(new Set(messages.map(({ groupId }) => groupId)), now);
  }

  #count(what: string, ...values: readonly SqlValue[]): number {
    const counting = this.#store.sql<{ count: number }>(`SELECT count(*) AS count FROM ${what}`);
    return Number(counting.get(...values)?.count);
  }

  #inFlight(now: number): number {
    return this.#count('sqs_receives WHERE queue = ? AND hidden_until > ?', this.#queue, now);
  }

  #roomInFlight(max: number, now: number): number {
    if (this.#maxInFlightNow + max > maxInFlight) this.#maxInFlightNow = this.#inFlight(now);
    return maxInFlight - this.#maxInFlightNow;
  }
}
