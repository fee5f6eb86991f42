import type { Store } from '../store.ts';

/** AWS docs, ReceiveMessage. A locked group thus has at most 10 messages in flight, and those are its first. */
export const maxReceived = 10;

const idsOf = (ids: Iterable<number>) => JSON.stringify([...ids]);

/**
 * The message groups of one queue. A group's `ready_at` is when its first message may be received: in the future while the
 * group is locked, and since when it has been waiting otherwise. Receives take the groups by it, so that nothing
 * has to happen when a visibility timeout ends.
 */
export class MessageGroups {
  readonly #store: Store;
  readonly #contents: number;

  constructor(store: Store, contents: number) {
    this.#store = store;
    this.#contents = contents;
  }

  /** When a group becomes ready by itself; undefined when nothing will. */
  nextChangeAt(now: number): number | undefined {
    return this.#store
      .sql<{ readyAt: number }>(
        `SELECT ready_at AS readyAt FROM sqs_groups WHERE contents = ? AND ready_at > ? ORDER BY ready_at LIMIT 1`,
      )
      .get(this.#contents, now)?.readyAt;
  }

  join(name: string, sequence: number, now: number): number {
    const added = this.#store
      .sql('INSERT INTO sqs_groups VALUES (?, ?, ?, ?) ON CONFLICT (name, contents) DO NOTHING')
      .run(sequence, this.#contents, name, now);
    if (added > 0) return sequence;
    const known = this.#store
      .sql<{ id: number }>('SELECT id FROM sqs_groups WHERE contents = ? AND name = ?')
      .get(this.#contents, name);
    if (known === undefined) throw new Error(`SQLite neither added nor found the group ${name}`);
    return known.id;
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
               SELECT sequence FROM sqs_messages WHERE group_id = sqs_groups.id ORDER BY sequence LIMIT ${maxReceived}
             ) first LEFT JOIN sqs_receives r ON r.sequence = first.sequence))
         WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .run(now, now, ids);
  }
}
