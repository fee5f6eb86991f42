import { daySeconds, limits } from '../../contract/limits.ts';
import { iso, utcDay } from '../../contract/outside.ts';
import { assignments, attribute, expr, joined } from '../../platform/aws/expression.ts';
import { type Table, updateItem } from '../../platform/aws/table.ts';
import { type Counter, counters, incrementsOf, latencySlotMinutes, moments } from './counts.ts';
import type { Activity } from './records.ts';

/*
 * One item for a connection and hour, with an attribute for each minute in which something was
 * counted: `a07` publishes were accepted in minute 7. An hour of a producer or consumer stays below
 * a write unit.
 */

export const letters: Readonly<Record<Counter, string>> = {
  accepted: 'a',
  refused: 'r',
  repeated: 'e',
  limited: 'l',
  delivered: 'd',
  pulled: 'p',
  acknowledged: 'k',
  released: 'n',
};

/** Before the minute in which a slot of latencies begins, and its bucket. */
export const latencyLetter = 't';

export const momentNames = {
  messageAt: 'message_at',
  pullAt: 'pull_at',
  ackAt: 'ack_at',
  frontAt: 'front_at',
} as const;

export const countsKey = (workspace: string, time: number): string =>
  `COUNTS#${workspace}#${utcDay(time)}`;

const twoDigits = (number: number): string => String(number).padStart(2, '0');

interface Change {
  readonly pk: string;
  readonly sk: string;
  readonly connection: string;
  readonly at: number;
  readonly added: Map<string, number>;
  readonly set: Map<string, number>;
}

const changeOf = (activity: Activity): Change | undefined => {
  const increments = incrementsOf(activity);
  if (!increments) return undefined;

  const { workspace, connection, at } = activity;
  const minute = new Date(at).getUTCMinutes();
  const slot = twoDigits(minute - (minute % latencySlotMinutes));

  const counts = counters.flatMap(counter => {
    const count = increments.counts[counter] ?? 0;
    if (count > 0) return [[`${letters[counter]}${twoDigits(minute)}`, count] as const];
    return [];
  });

  const latencies = [...increments.latencies].map(
    ([bucket, count]) => [`${latencyLetter}${slot}${bucket.toString(36)}`, count] as const,
  );

  const set = moments.flatMap(moment => {
    const time = increments.moments[moment];
    if (time === undefined) return [];
    return [[momentNames[moment], time] as const];
  });
  return {
    pk: countsKey(workspace, at),
    sk: `${iso(at).slice(11, 13)}#${connection}`,
    connection,
    at,
    added: new Map([...counts, ...latencies]),
    set: new Map(set),
  };
};

const merge = (into: Change, { added, set }: Change): void => {
  for (const [name, count] of added) {
    const before = into.added.get(name) ?? 0;
    into.added.set(name, before + count);
  }
  for (const [name, time] of set) {
    const before = into.set.get(name) ?? 0;
    into.set.set(name, Math.max(before, time));
  }
};

const write = (table: Table, { pk, sk, connection, at, added, set }: Change): Promise<void> => {
  const expires_at = Math.ceil(at / 1000) + limits.countsKeptDays * daySeconds;
  const facts = expr`SET ${assignments({ ...Object.fromEntries(set), connection, expires_at })}`;
  const additions = [...added].map(([name, count]) => expr`${attribute(name)} ${count}`);
  return updateItem(table, {
    Key: { pk, sk },
    UpdateExpression: added.size > 0 ? expr`ADD ${joined(additions, ', ')} ${facts}` : facts,
  });
};

/**
 * Counts activities. What comes while a write is under way goes with the next one: a function has
 * one request at a time and writes at once, a process with many requests writes for all of them.
 * Settles when the activity is counted.
 */
export const countingIn = (table: Table): ((activity: Activity) => Promise<void>) => {
  const notedAt = new Map<string, number>();
  /** What the next write adds, by item. */
  let waiting = new Map<string, Change>();
  /** The write that has not begun; undefined if nothing waits. */
  let nextWrite: Promise<void> | undefined;
  /** Settles when the write under way has ended, however it ends. */
  let currentWrite: Promise<unknown> = Promise.resolve();

  const writeAll = async (): Promise<void> => {
    const changes = [...waiting.values()];
    waiting = new Map();
    nextWrite = undefined;
    const writing = Promise.all(changes.map(change => write(table, change)));
    currentWrite = writing.catch(() => undefined);
    await writing;
  };

  /** One empty pull a minute is counted: it shows that the connection is alive. */
  const isNoted = ({ connection, at }: Activity): boolean => {
    if (at - (notedAt.get(connection) ?? 0) < 60_000) return true;
    if (notedAt.size >= 1_000) notedAt.clear();
    notedAt.set(connection, at);
    return false;
  };

  return async function count(activity) {
    const change = changeOf(activity);
    const isIdle = activity.kind === 'received' && activity.receives.length === 0;
    if (!change || (isIdle && isNoted(activity))) return;

    const key = `${change.pk} ${change.sk}`;
    const before = waiting.get(key);
    if (before) merge(before, change);
    else waiting.set(key, change);

    nextWrite ??= currentWrite.then(writeAll);
    await nextWrite;
  };
};
