import { limits } from '../../contract/limits.ts';
import { defined } from '../../contract/outside.ts';
import { identityProblems, tokenRefusals, type Violation } from '../../contract/refusals.ts';
import { expr } from '../../platform/aws/expression.ts';
import {
  type Item,
  itemReader,
  queryPage,
  queryWithin,
  type Table,
} from '../../platform/aws/table.ts';
import {
  handledKey,
  receivesIn,
  replayedIn,
  replaysIn,
  settledOf,
  unpacked,
} from './handled.dynamodb.ts';
import { feedKey, messageKey, readTitles, sorts } from './records.dynamodb.ts';
import type {
  CopyRecords,
  FeedLine,
  FeedPart,
  FeedRange,
  History,
  MessageNames,
  ReceiveRecord,
  RefusedPublish,
} from './records.ts';

const readDeed = (item: Item) => {
  const read = itemReader(item);
  return {
    connection: read.text('connection'),
    workspace: read.text('workspace'),
    at: read.number('at'),
  };
};

const readRefusal = (messageId: string, item: Item): RefusedPublish => {
  const read = itemReader(item);
  return {
    ...readDeed(item),
    kind: 'refused',
    message: defined({
      messageId,
      messageType: read.optionalText('message_type'),
      correlationId: read.optionalText('correlation_id'),
    }),
    sizeBytes: read.number('size_bytes'),
    violations: (item['violations'] ?? []) as readonly Violation[], // what `refusalFacts` wrote
  };
};

/** The last items of a partition with a prefix, in their order. */
const latestUnder = async (
  table: Table,
  { pk, prefix, max }: { pk: string; prefix: string; max: number },
): Promise<readonly Item[]> => {
  const { items } = await queryPage(table, {
    ConsistentRead: true,
    KeyConditionExpression: expr`pk = ${pk} AND begins_with(sk, ${prefix})`,
    ScanIndexForward: false,
    Limit: max,
  });
  return items.toReversed();
};

/**
 * What consumers did with the messages of a minute, consumer by consumer, within
 * `limits.handledPages`: what is more of one consumer is passed over, to the next one.
 *
 * @param pages how many may be read
 */
const handledIn = async (
  table: Table,
  pk: string,
  pages: number,
): Promise<{
  readonly items: readonly Item[];
  readonly read: number;
}> => {
  const items: Item[] = [];
  let from: Item | undefined;
  let read = 0;
  let last = { consumer: '', pages: 0 };
  do {
    const page = await queryPage(table, {
      ConsistentRead: true,
      KeyConditionExpression: expr`pk = ${pk}`,
      ExclusiveStartKey: from,
    });
    items.push(...page.items);
    read += 1;
    from = page.next;
    if (!from) break;

    const [consumer = ''] = itemReader(from).text('sk').split('#');
    last = { consumer, pages: consumer === last.consumer ? last.pages + 1 : 1 };
    // A tilde sorts after the times that follow a consumer: the next page begins with another.
    if (last.pages >= limits.handledPages.ofConsumer) from = { pk, sk: `${consumer}#~` };
  } while (read < pages);
  return { items, read };
};

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
  'identity_refused',
] as const;

const reasons = [...tokenRefusals, ...identityProblems];

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
    connection: read.optionalText('connection'),
    issuer: read.optionalText('issuer'),
    client: read.optionalText('client'),
    at: read.number('at'),
    messages: read.has('messages') ? unpacked<Partial<MessageNames>>(item, 'messages') : [],
    rules: rulesOf(item),
    reason: read.has('reason') ? read.oneOf('reason', reasons) : undefined,
    count: read.has('attempts') ? read.number('attempts') : 1,
  });
};

/** The last items of a partition of the index, the latest first. */
const latestIn = async (
  table: Table,
  { of, since, max }: { of: string; since: number; max: number },
): Promise<readonly Item[]> => {
  const query = {
    IndexName: 'in_flight',
    KeyConditionExpression: expr`in_flight_of = ${of} AND visible_at >= ${since}`,
    ScanIndexForward: false,
    Limit: max,
  } as const;
  const { items } = await queryWithin(table, query, { max, pages: limits.recordPages });
  return items;
};

const readFeedPage = async (
  table: Table,
  workspace: string,
  { day, before = '~', after = '0', max }: FeedRange,
): Promise<FeedPart> => {
  // DynamoDB refuses a BETWEEN whose ends are reversed, and includes both of them.
  if (after >= before) return { lines: [] };

  const Limit = max + 2;
  const query = {
    KeyConditionExpression: expr`pk = ${feedKey(workspace, day)} AND sk BETWEEN ${after} AND ${before}`,
    ScanIndexForward: false,
    Limit,
  };
  const { items, isCut } = await queryWithin(table, query, {
    max: Limit,
    pages: limits.recordPages,
  });

  const read = items.map(readLine);
  const between = read.filter(({ position }) => position !== before && position !== after);
  const until = isCut ? read.at(-1)?.position : undefined;
  return defined({ lines: between.slice(0, max), until });
};

/** A minute in which several of the messages were accepted is read once. */
const readReceives = async (
  table: Table,
  workspace: string,
  acceptedAt: ReadonlyMap<string, number>,
): Promise<readonly ReceiveRecord[]> => {
  const minutes = new Set([...acceptedAt.values()].map(at => handledKey(workspace, at)));
  const receives: ReceiveRecord[] = [];
  let left: number = limits.handledPages.ofRequest;
  for (const minute of minutes) {
    if (left === 0) break;
    const most = Math.min(left, limits.handledPages.ofMinute);
    const { items, read } = await handledIn(table, minute, most);
    receives.push(...receivesIn(items).filter(({ messageId }) => acceptedAt.has(messageId)));
    left -= read;
  }
  return receives;
};

/** What one consumer did with the messages of a minute. */
const handledBy = async (table: Table, pk: string, consumer: string) => {
  const query = {
    ConsistentRead: true,
    KeyConditionExpression: expr`pk = ${pk} AND begins_with(sk, ${`${consumer}#`})`,
  };
  const bound = { max: Number.MAX_SAFE_INTEGER, pages: limits.handledPages.ofConsumer };
  return queryWithin(table, query, bound);
};

/** Minutes that are read at the same time. */
const minutesAtOnce = 10;

const readCopies = async (
  table: Table,
  { id, workspace }: { id: string; workspace: string },
  acceptedAt: ReadonlyMap<string, number>,
): Promise<CopyRecords> => {
  const minutes = [...new Set([...acceptedAt.values()].map(at => handledKey(workspace, at)))];
  const isAsked = ({ messageId }: { messageId: string }) => acceptedAt.has(messageId);
  const receives: ReceiveRecord[] = [];
  const replays: CopyRecords['replays'][number][] = [];
  let isWhole = true;
  for (let from = 0; from < minutes.length; from += minutesAtOnce) {
    const some = minutes.slice(from, from + minutesAtOnce);
    const pages = await Promise.all(some.map(minute => handledBy(table, minute, id)));
    for (const { items, isCut } of pages) {
      receives.push(...receivesIn(items).filter(isAsked));
      replays.push(...replayedIn(items).filter(isAsked));
      isWhole &&= !isCut;
    }
  }
  return { receives, replays, isWhole };
};

export const awsHistory = (table: Table): History => ({
  feed: (workspace, page) => readFeedPage(table, workspace, page),

  titles: (workspace, after) => readTitles(table, workspace, after),

  receivesOf: (workspace, acceptedAt) => readReceives(table, workspace, acceptedAt),

  copyRecords: (consumer, acceptedAt) => readCopies(table, consumer, acceptedAt),

  async ofMessage(workspace, { messageId, acceptedAt }) {
    const attempts = { pk: messageKey(workspace, messageId), max: limits.attemptsTold };
    const { ofMinute } = limits.handledPages;
    const [refused, repeated, { items: handled }] = await Promise.all([
      latestUnder(table, { ...attempts, prefix: sorts.refused }),
      latestUnder(table, { ...attempts, prefix: sorts.repeated }),
      acceptedAt === undefined
        ? { items: [] }
        : handledIn(table, handledKey(workspace, acceptedAt), ofMinute),
    ]);
    return {
      receives: receivesIn(handled, messageId),
      replays: replaysIn(handled, messageId),
      refusals: refused.map(item => readRefusal(messageId, item)),
      repeats: repeated.map(readDeed),
    };
  },

  async inFlight(connection, now) {
    const hidden = await latestIn(table, {
      of: connection,
      since: now + 1,
      max: limits.recordsInFlight,
    });
    if (hidden.length === 0) return [];

    // Some of these have ended since: not before the first of them began.
    const began = Math.min(...receivesIn(hidden).map(({ takenAt }) => takenAt));
    const ends = { of: settledOf(connection), since: began, max: limits.recordsInFlight };
    const ended = (await latestIn(table, ends)).filter(({ kind }) => kind !== 'replayed');
    return receivesIn([...hidden, ...ended]).filter(
      ({ acknowledgedAt, skippedAt, visibleAt }) =>
        acknowledgedAt === undefined && skippedAt === undefined && visibleAt > now,
    );
  },
});
