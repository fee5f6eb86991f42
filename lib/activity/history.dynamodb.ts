import { expr } from '../aws/expression.ts';
import { type Item, itemReader, queryAll, queryPage, type Table } from '../aws/table.ts';
import { limits } from '../contract/limits.ts';
import { defined } from '../contract/outside.ts';
import type { Violation } from '../contract/refusals.ts';
import { handledKey, receivesIn, replaysIn, settledIn, settledOf, unpacked } from './handled.dynamodb.ts';
import { feedKey, messageKey, readTitles, sorts } from './records.dynamodb.ts';
import type { FeedLine, History, MessageNames, ReceiveRecord, Refused } from './records.ts';

const readDeed = (item: Item) => {
  const read = itemReader(item);
  return { connection: read.text('connection'), workspace: read.text('workspace'), at: read.number('at') };
};

const readRefusal = (messageId: string, item: Item): Refused => {
  const read = itemReader(item);
  return {
    ...readDeed(item),
    kind: 'refused',
    message: defined({
      messageId,
      messageType: read.has('message_type') ? read.text('message_type') : undefined,
      correlationId: read.has('correlation_id') ? read.text('correlation_id') : undefined,
    }),
    sizeBytes: read.number('size_bytes'),
    violations: (item['violations'] ?? []) as readonly Violation[], // what `refusalFacts` wrote
  };
};

/** The last items of a partition with a prefix, in their order. */
const latestUnder = async (
  table: Table,
  { pk, prefix, max }: { readonly pk: string; readonly prefix: string; readonly max: number },
): Promise<readonly Item[]> => {
  const { items } = await queryPage(table, {
    ConsistentRead: true,
    KeyConditionExpression: expr`pk = ${pk} AND begins_with(sk, ${prefix})`,
    ScanIndexForward: false,
    Limit: max,
  });
  return items.toReversed();
};

const handledIn = (table: Table, pk: string): Promise<readonly Item[]> =>
  queryAll(
    table,
    { ConsistentRead: true, KeyConditionExpression: expr`pk = ${pk}` },
    limits.recordsPerMessage,
  );

const kinds = [
  'refused',
  'repeated',
  'received',
  'released',
  'acknowledged',
  'skipped',
  'replayed',
  'attempts',
  'token_refused',
  'token_attempts',
  'limited',
] as const;

const reasons = ['wrong_secret', 'not_registered', 'too_many'] as const;

/** The rules of a refusal: listed, or those of the violations that stand in the feed. */
const rulesOf = (item: Item): readonly string[] => {
  const violations: unknown = item['violations'];
  if (!Array.isArray(violations)) return itemReader(item).texts('rules');
  return [...new Set(violations.map((one: Item) => itemReader(one).text('rule')))];
};

const readLine = (item: Item): FeedLine => {
  const read = itemReader(item);
  return defined({
    position: read.text('sk'),
    kind: read.oneOf('kind', kinds),
    connection: read.text('connection'),
    at: read.number('at'),
    messages: read.has('messages') ? unpacked<Partial<MessageNames>>(item, 'messages') : [],
    rules: rulesOf(item),
    reason: read.has('reason') ? read.oneOf('reason', reasons) : undefined,
    count: read.has('attempts') ? read.number('attempts') : 1,
  });
};

/** The last items of a partition of the index, the latest first. */
const latestIn = (
  table: Table,
  { of, since, max }: { readonly of: string; readonly since: number; readonly max: number },
): Promise<readonly Item[]> => {
  const query = {
    IndexName: 'in_flight',
    KeyConditionExpression: expr`in_flight_of = ${of} AND visible_at >= ${since}`,
    ScanIndexForward: false,
    Limit: max,
  } as const;
  return queryAll(table, query, max);
};

export const awsHistory = (table: Table): History => ({
  async feed(workspace, { day, before = '~', after = '0', max }) {
    // DynamoDB refuses a BETWEEN whose ends are reversed, and includes both of them.
    if (after >= before) return [];
    const Limit = max + 2;
    const query = {
      KeyConditionExpression: expr`pk = ${feedKey(workspace, day)} AND sk BETWEEN ${after} AND ${before}`,
      ScanIndexForward: false,
      Limit,
    };
    const lines = (await queryAll(table, query, Limit)).map(readLine);
    return lines.filter(({ position }) => position !== before && position !== after).slice(0, max);
  },

  titles: (workspace, after) => readTitles(table, workspace, after),

  async receivesOf(workspace, acceptedAt) {
    const minutes = new Set([...acceptedAt.values()].map(at => handledKey(workspace, at)));
    const receives: ReceiveRecord[] = [];
    for (const minute of minutes) receives.push(...receivesIn(await handledIn(table, minute)));
    return receives.filter(({ messageId }) => acceptedAt.has(messageId));
  },

  async ofMessage(workspace, { messageId, acceptedAt }) {
    const attempts = { pk: messageKey(workspace, messageId), max: limits.attemptsTold };
    const [refused, repeated, handled] = await Promise.all([
      latestUnder(table, { ...attempts, prefix: sorts.refused }),
      latestUnder(table, { ...attempts, prefix: sorts.repeated }),
      acceptedAt === undefined ? [] : handledIn(table, handledKey(workspace, acceptedAt)),
    ]);
    return {
      receives: receivesIn(handled, messageId),
      replays: replaysIn(handled, messageId),
      refusals: refused.map(item => readRefusal(messageId, item)),
      repeats: repeated.map(readDeed),
    };
  },

  async inFlight(connection, now) {
    const hidden = await latestIn(table, { of: connection, since: now + 1, max: limits.recordsInFlight });
    if (hidden.length === 0) return [];
    const began = Math.min(...receivesIn(hidden).map(({ takenAt }) => takenAt));
    const ends = { of: settledOf(connection), since: began, max: limits.recordsInFlight };
    const ended = (await latestIn(table, ends)).filter(({ kind }) => kind !== 'replayed');
    return receivesIn([...hidden, ...ended]).filter(
      ({ acknowledgedAt, skippedAt, visibleAt }) =>
        acknowledgedAt === undefined && skippedAt === undefined && visibleAt > now,
    );
  },

  async settled(connection, since, max) {
    const items = await latestIn(table, { of: settledOf(connection), since, max });
    return settledIn(items).slice(0, max);
  },
});
