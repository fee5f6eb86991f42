import { dayMilliseconds } from '../../contract/limits.ts';
import { iso } from '../../contract/outside.ts';
import { expr } from '../../platform/aws/expression.ts';
import { batchGet } from '../../platform/aws/many-items.ts';
import { itemReader, queryAll, type Table } from '../../platform/aws/table.ts';
import {
  archiveDay,
  entryKey,
  readEntry,
  readEntryWithoutBody,
  readFacts,
} from '../delivery/ledger-items.dynamodb.ts';
import type { Archive, ArchiveSummary, ArchiveTail, LogPlace } from './replay.ts';

const daysOf = (from: number, to: number): number[] => {
  const first = Math.floor(from / dayMilliseconds) * dayMilliseconds;
  const count = Math.max(0, Math.ceil((to - first) / dayMilliseconds));
  return Array.from({ length: count }, (_, day) => first + day * dayMilliseconds);
};

/** A position begins with its time, RFC 3339. */
const timeOf = (position: string): number => Date.parse(position.slice(0, 24));

const readSummary = (item: Readonly<Record<string, unknown>>): ArchiveSummary => ({
  ...readFacts(item),
  position: itemReader(item).text('archive_position'),
});

/**
 * Places of a day between two positions, both included: every position begins with its time, so
 * times are bounds too.
 */
const placesOf = async (
  table: Table,
  [first, end]: readonly [string, string],
  { day, max, backwards = false }: { day: string; max: number; backwards?: boolean },
): Promise<readonly ArchiveSummary[]> => {
  // DynamoDB refuses a BETWEEN whose ends are reversed.
  if (first >= end) return [];
  const items = await queryAll(
    table,
    {
      IndexName: 'archive',
      KeyConditionExpression: expr`archive_day = ${day} AND archive_position BETWEEN ${first} AND ${end}`,
      ScanIndexForward: !backwards,
      Limit: max,
    },
    max,
  );
  return items.map(readSummary);
};

/** The stored entries at places, in their order; an expired one is missing. */
const itemsAt = async <P extends LogPlace>(
  table: Table,
  { workspace, places }: { workspace: string; places: readonly P[] },
) => {
  const keys = places.map(({ correlationId, number }) =>
    entryKey({ workspace, correlationId }, number),
  );
  const found = await batchGet(table, keys);
  const items = new Map(found.map(item => [`${item['pk']}${item['sk']}`, item]));
  return places.flatMap((place, at) => {
    const item = items.get(`${keys[at]?.pk}${keys[at]?.sk}`);
    if (item) return [{ place, item }];
    return [];
  });
};

export const awsArchive = (table: Table): Archive => ({
  async page(range, max) {
    const begin = range.after === undefined ? range.from : timeOf(range.after);
    // A space sorts before everything that can follow a position.
    const first = range.after === undefined ? iso(range.from) : `${range.after} `;
    const summaries: ArchiveSummary[] = [];
    for (const time of daysOf(begin, range.to)) {
      const day = archiveDay(range.workspace, time);
      const left = max - summaries.length;
      summaries.push(...(await placesOf(table, [first, iso(range.to)], { day, max: left })));
      if (summaries.length >= max) break;
    }
    return summaries;
  },

  async entries(workspace, summaries) {
    const found = await itemsAt(table, { workspace, places: summaries });
    return found.map(({ place, item }) => ({ summary: place, entry: readEntry(item) }));
  },

  async withoutBodies(workspace, places) {
    const found = await itemsAt(table, { workspace, places });
    return found.map(({ item }) => ({
      summary: readSummary(item),
      entry: readEntryWithoutBody(item),
    }));
  },
});

const daysAtOnce = 6;

export const awsArchiveTail = (table: Table): ArchiveTail => ({
  entries: awsArchive(table).entries,

  async latest(range, max) {
    // Nothing is accepted after `to`, whatever time a position has. Others before the position may
    // have its millisecond.
    const to = range.before === undefined ? range.to : Math.min(range.to, timeOf(range.before) + 1);
    const days = daysOf(range.from, to).reverse();
    const summaries: ArchiveSummary[] = [];
    for (const time of days.slice(0, daysAtOnce)) {
      const day = archiveDay(range.workspace, time);
      const left = max - summaries.length;
      const between = [iso(range.from), range.before ?? iso(range.to)] as const;
      // One more: the end of the range was on the page before.
      const found = await placesOf(table, between, { day, max: left + 1, backwards: true });
      summaries.push(...found.filter(({ position }) => position !== range.before).slice(0, left));
      const last = summaries.at(-1);
      if (last && summaries.length >= max) return { summaries, next: last.position };
    }

    const unread = days[daysAtOnce];
    if (unread === undefined) return { summaries };
    // After every position of that day: a tilde sorts after all that can follow a time.
    return { summaries, next: `${iso(unread + dayMilliseconds - 1)}~` };
  },
});
