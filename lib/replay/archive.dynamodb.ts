import { expr } from '../aws/expression.ts';
import { batchGet } from '../aws/many-items.ts';
import { itemReader, queryAll, type Table } from '../aws/table.ts';
import { dayMilliseconds } from '../contract/limits.ts';
import { iso } from '../contract/outside.ts';
import { archiveDay, entryKey, readEntry, readFacts } from '../delivery/ledger-items.dynamodb.ts';
import type { Archive, ArchiveSummary, ArchiveTail } from './replay.ts';

const index = 'archive';

const daysOf = (from: number, to: number): number[] => {
  const first = Math.floor(from / dayMilliseconds) * dayMilliseconds;
  const count = Math.max(0, Math.ceil((to - first) / dayMilliseconds));
  return Array.from({ length: count }, (_, day) => first + day * dayMilliseconds);
};

const timeOf = (position: string): number => Date.parse(position.slice(0, 24));

const readSummary = (item: Readonly<Record<string, unknown>>): ArchiveSummary => ({
  ...readFacts(item),
  position: itemReader(item).text('archive_position'),
});

type Range = Parameters<Archive['page']>[0];

/** One page of a day: every position begins with its time, so the range's times are bounds. */
const pageOfDay = async (
  table: Table,
  { workspace, from, to, after }: Range,
  facts: { readonly day: number; readonly max: number },
): Promise<readonly ArchiveSummary[]> => {
  // A space sorts before everything that can follow a position.
  const [first, end] = [after === undefined ? iso(from) : `${after} `, iso(to)];
  // DynamoDB refuses a BETWEEN whose ends are reversed.
  if (first >= end) return [];
  const items = await queryAll(
    table,
    {
      IndexName: index,
      KeyConditionExpression: expr`archive_day = ${archiveDay(workspace, facts.day)} AND archive_position BETWEEN ${first} AND ${end}`,
      Limit: facts.max,
    },
    facts.max,
  );
  return items.map(readSummary);
};

const itemsAt = async (
  table: Table,
  { workspace, summaries }: { readonly workspace: string; readonly summaries: readonly ArchiveSummary[] },
) => {
  const keys = summaries.map(({ correlationId, number }) => entryKey({ workspace, correlationId }, number));
  const found = await batchGet(table, keys);
  const items = new Map(found.map(item => [`${item['pk']}${item['sk']}`, item]));
  return summaries.flatMap((summary, at) => {
    const item = items.get(`${keys[at]?.pk}${keys[at]?.sk}`);
    return item ? [{ summary, item }] : [];
  });
};

export const awsArchive = (table: Table): Archive => ({
  async page(range, max) {
    const begin = range.after === undefined ? range.from : timeOf(range.after);
    const summaries: ArchiveSummary[] = [];
    for (const day of daysOf(begin, range.to)) {
      summaries.push(...(await pageOfDay(table, range, { day, max: max - summaries.length })));
      if (summaries.length >= max) break;
    }
    return summaries;
  },

  async entries(workspace, summaries) {
    const found = await itemsAt(table, { workspace, summaries });
    return found.map(({ summary, item }) => ({ summary, entry: readEntry(item) }));
  },
});

const daysAtOnce = 6;

const latestOfDay = async (
  table: Table,
  { workspace, from, to, before }: Parameters<ArchiveTail['latest']>[0],
  { day, max }: { readonly day: number; readonly max: number },
): Promise<readonly ArchiveSummary[]> => {
  const [first, end] = [iso(from), before ?? iso(to)];
  if (first >= end) return [];
  const items = await queryAll(
    table,
    {
      IndexName: index,
      KeyConditionExpression: expr`archive_day = ${archiveDay(workspace, day)} AND archive_position BETWEEN ${first} AND ${end}`,
      ScanIndexForward: false,
      Limit: max + 1,
    },
    max + 1,
  );
  // BETWEEN includes its end, which was on the page before.
  return items
    .map(readSummary)
    .filter(({ position }) => position !== before)
    .slice(0, max);
};

export const awsArchiveTail = (table: Table): ArchiveTail => ({
  entries: awsArchive(table).entries,

  async latest(range, max) {
    // Nothing is accepted after `to`, whatever time a position has.
    const to = range.before === undefined ? range.to : Math.min(range.to, timeOf(range.before) + 1);
    const days = daysOf(range.from, to).reverse();
    const summaries: ArchiveSummary[] = [];
    for (const day of days.slice(0, daysAtOnce)) {
      summaries.push(...(await latestOfDay(table, range, { day, max: max - summaries.length })));
      const last = summaries.at(-1);
      if (last && summaries.length >= max) return { summaries, next: last.position };
    }
    const unread = days[daysAtOnce];
    return unread === undefined
      ? { summaries }
      : { summaries, next: `${iso(unread + dayMilliseconds - 1)}~` };
  },
});
