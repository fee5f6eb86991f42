import { dayMilliseconds, daySeconds, limits } from '../../contract/limits.ts';
import { iso, utcDay } from '../../contract/outside.ts';
import { expr } from '../../platform/aws/expression.ts';
import {
  type Item,
  itemReader,
  queryPage,
  type Table,
  transactWrite,
} from '../../platform/aws/table.ts';
import { countsKey, latencyLetter, letters, momentNames } from './counts.dynamodb.ts';
import { type Counter, type CountHistory, counters, type HourOfCounts, moments } from './counts.ts';
import { packed, unpacked } from './handled.dynamodb.ts';

const attributeForm = /^([a-z])(\d\d)([\da-z])?$/;

const byLetter = new Map(counters.map(counter => [letters[counter], counter]));

const readHour = (item: Item): HourOfCounts => {
  const read = itemReader(item);
  const [, , day = ''] = read.text('pk').split('#');

  const counts: { counter: Counter; minute: number; count: number }[] = [];
  const latencies: { bucket: number; minute: number; count: number }[] = [];
  for (const name of Object.keys(item)) {
    const [, letter = '', digits, bucket] = attributeForm.exec(name) ?? [];
    const counter = byLetter.get(letter);
    const minute = Number(digits);
    if (counter) counts.push({ counter, minute, count: read.number(name) });
    if (letter === latencyLetter && bucket !== undefined)
      latencies.push({ bucket: Number.parseInt(bucket, 36), minute, count: read.number(name) });
  }

  const known = moments.filter(moment => read.has(momentNames[moment]));
  return {
    connection: read.text('connection'),
    hour: Date.parse(`${day}T${read.text('sk').slice(0, 2)}:00:00.000Z`),
    counts,
    latencies,
    ...Object.fromEntries(known.map(moment => [moment, read.number(momentNames[moment])])),
  };
};

/** The same hour as if everything had been counted in its first minute. */
const compacted = (item: Item): Item => {
  const sums = new Map<string, number>();
  const rest = new Map<string, unknown>();
  for (const [name, value] of Object.entries(item)) {
    const [, letter, , bucket = ''] = attributeForm.exec(name) ?? [];
    if (letter === undefined) {
      rest.set(name, value);
      continue;
    }
    const inFirstMinute = `${letter}00${bucket}`;
    const before = sums.get(inFirstMinute) ?? 0;
    sums.set(inFirstMinute, before + Number(value));
  }
  return Object.fromEntries([...rest, ...sums]);
};

const rollsKey = (workspace: string): string => `ROLLS#${workspace}`;

/**
 * Writes a day that is over in an item for six hours each, all or nothing: whoever reads a week
 * reads these. The first one is there even if nothing was counted, and shows that the day is done.
 */
const rollUp = async (
  table: Table,
  { workspace, day }: { workspace: string; day: number },
  items: readonly Item[],
): Promise<void> => {
  const parts = new Map<number, Item[]>([[0, []]]);
  for (const item of items) {
    const part = Math.floor(Number(itemReader(item).text('sk').slice(0, 2)) / 6);
    parts.set(part, [...(parts.get(part) ?? []), item]);
  }

  const expires_at = Math.ceil(day / 1000) + limits.countsKeptDays * daySeconds;
  const rolls = [...parts].map(([part, hours]) => ({
    Put: {
      Item: {
        pk: rollsKey(workspace),
        sk: `${utcDay(day)}#${part}`,
        hours: packed(hours),
        expires_at,
      },
    },
  }));
  await transactWrite(table, rolls);
};

/** What may still be written for a day that is over. */
const lateMilliseconds = 300_000;

/** Reads the items of partitions for one request, which may read so many pages in all. */
const pageReader = (table: Table) => {
  let left: number = limits.pagesPerRequest;
  /** Undefined if that takes too many pages. */
  return async function readItems(
    pk: string,
    [from, to]: readonly [string, string],
  ): Promise<readonly Item[] | undefined> {
    const items: Item[] = [];
    let start: Item | undefined;
    do {
      if (left === 0) return undefined;
      left -= 1;
      const page = await queryPage(table, {
        KeyConditionExpression: expr`pk = ${pk} AND sk BETWEEN ${from} AND ${to}`,
        ExclusiveStartKey: start,
      });
      items.push(...page.items);
      start = page.next;
    } while (start);
    return items;
  };
};

const daysBetween = (from: number, to: number): readonly number[] => {
  const first = Math.floor(from / dayMilliseconds) * dayMilliseconds;
  const count = Math.floor((to - first) / dayMilliseconds) + 1;
  return Array.from({ length: count }, (_, index) => first + index * dayMilliseconds);
};

export const awsCounts = (table: Table): CountHistory => ({
  async hours(workspace, { from, to }) {
    const read = pageReader(table);
    const hours: HourOfCounts[] = [];
    for (const day of daysBetween(from, to)) {
      const first = day < from ? iso(from).slice(11, 13) : '0';
      const items = await read(countsKey(workspace, day), [first, '~']);
      if (!items) return { hours, isComplete: false };
      hours.push(...items.map(readHour));
    }
    return { hours, isComplete: true };
  },

  async days(workspace, { from, to }) {
    const read = pageReader(table);
    const rolls = (await read(rollsKey(workspace), [utcDay(from), `${utcDay(to)}~`])) ?? [];
    const isRolled = (day: number) => rolls.some(({ sk }) => String(sk).startsWith(utcDay(day)));
    const hours = rolls.flatMap(roll => unpacked(roll, 'hours')).map(readHour);

    for (const day of daysBetween(from, to).filter(one => !isRolled(one))) {
      const items = await read(countsKey(workspace, day), ['0', '~']);
      if (!items) return { hours, isComplete: false };
      const sums = items.map(compacted);
      hours.push(...sums.map(readHour));
      if (day + dayMilliseconds + lateMilliseconds < to)
        await rollUp(table, { workspace, day }, sums);
    }
    return { hours, isComplete: true };
  },
});
