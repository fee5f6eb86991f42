import { daySeconds, limits } from '../../contract/limits.ts';
import { defined, type Ids, iso, randomName, utcDay } from '../../contract/outside.ts';
import { assignments, expr } from '../../platform/aws/expression.ts';
import { batchPut, holds } from '../../platform/aws/many-items.ts';
import {
  type Item,
  itemReader,
  keyDigest,
  putItem,
  queryPage,
  type Table,
  updatedItem,
  updateItem,
} from '../../platform/aws/table.ts';
import { countingIn } from './counts.dynamodb.ts';
import { type EventStamp, handledItems, packed } from './handled.dynamodb.ts';
import type {
  AcceptedPublish,
  Activity,
  AttemptRecorder,
  AttemptsKind,
  ConnectionEvent,
  IdentityRefusals,
  MessageNames,
  Recorder,
  RefusedIdentity,
  RefusedPublish,
  RefusedTokenRequest,
  Repeated,
  StoryTitle,
  TitlePage,
} from './records.ts';
import { textItems } from './refused-texts.dynamodb.ts';

/** The partition of what happened to a message: neither part contains `#`. */
export const messageKey = (workspace: string, messageId: string): string =>
  `MESSAGE#${workspace}#${messageId}`;

/** The partition of what happened in a workspace on the UTC day of a time. */
export const feedKey = (workspace: string, time: number): string =>
  `FEED#${workspace}#${utcDay(time)}`;

export const sorts = { refused: 'REFUSED#', repeated: 'REPEATED#' };

const keptFor = (archiveDays: number): number => (archiveDays + limits.entryGraceDays) * daySeconds;

/** When a record of a time ends; epoch seconds. */
const expiryOf = (time: number, archiveDays: number): number =>
  Math.ceil(time / 1000) + keptFor(archiveDays);

const eventItem = ({ connection, workspace, at }: Activity, { expiresAt }: EventStamp): Item => ({
  connection,
  workspace,
  at,
  expires_at: expiresAt,
});

const refusalFacts = ({ sizeBytes, violations }: RefusedPublish): Item => ({
  size_bytes: sizeBytes,
  violations: violations.slice(0, limits.violationsKept).map(one => defined(one)),
});

/** The item of a refused or repeated publish with its message_id, if that could be read. */
const attemptItems = (attempt: RefusedPublish | Repeated, stamp: EventStamp): readonly Item[] => {
  const { kind, connection, workspace, at, message } = attempt;
  const { messageId, messageType, correlationId } = message;
  if (messageId === undefined) return [];
  return [
    {
      ...eventItem(attempt, stamp),
      ...defined({ message_type: messageType, correlation_id: correlationId }),
      pk: messageKey(workspace, messageId),
      sk: `${sorts[kind]}${iso(at)}#${connection}#${stamp.unique}`,
      ...(kind === 'refused' && refusalFacts(attempt)),
    },
  ];
};

type Event = Exclude<Activity, { readonly kind: 'accepted' | 'limited' }>;

const itemsByMessage = (activity: Event, stamp: EventStamp): readonly Item[] => {
  switch (activity.kind) {
    case 'refused':
    case 'repeated':
      return attemptItems(activity, stamp);
    case 'token_refused':
      return [];
    default:
      return handledItems(activity, stamp);
  }
};

const messagesOf = (activity: Event): readonly Partial<MessageNames>[] => {
  if (activity.kind === 'token_refused') return [];
  if ('receives' in activity) return activity.receives;
  if ('messages' in activity) return activity.messages;
  return [activity.message];
};

/** What only some kinds of activity have. */
const factsOfKind = (activity: Event): Item => {
  switch (activity.kind) {
    case 'replayed':
      return { replay: activity.replay };
    case 'token_refused':
      return { reason: activity.reason };
    case 'refused': {
      if (activity.message.messageId === undefined) return refusalFacts(activity);
      const rules = new Set(activity.violations.map(({ rule }) => rule));
      return { rules: [...rules].slice(0, limits.violationsKept) };
    }
    default:
      return {};
  }
};

/** One line for the whole call, however many messages it is about. */
const feedItem = (activity: Event, stamp: EventStamp): Item => ({
  ...eventItem(activity, stamp),
  pk: feedKey(activity.workspace, activity.at),
  sk: `${iso(activity.at)}#${stamp.unique}`,
  kind: activity.kind,
  messages: packed(
    messagesOf(activity).map(({ messageId, messageType, correlationId }) => ({
      messageId,
      messageType,
      correlationId,
    })),
  ),
  ...factsOfKind(activity),
});

type Attempt = RefusedPublish | Repeated | RefusedTokenRequest;

const isAttempt = (activity: Activity): activity is Attempt =>
  activity.kind === 'refused' || activity.kind === 'repeated' || activity.kind === 'token_refused';

interface CountedLine {
  readonly kind: AttemptsKind | 'limited';
  /** Milliseconds. */
  readonly per: number;
  readonly added: number;
  readonly expiresAt: number;
}

/**
 * Adds to a line of the feed that only counts, in one stretch of time.
 *
 * @returns what that line has counted by now
 */
const addToCountedLine = async (
  table: Table,
  { connection, workspace, at: time }: ConnectionEvent,
  { kind, per, added, expiresAt }: CountedLine,
): Promise<number> => {
  const at = time - (time % per);
  const facts = assignments({ expires_at: expiresAt, connection, kind, at });
  const counted = await updatedItem(table, {
    Key: { pk: feedKey(workspace, at), sk: `${iso(at)}#${kind}#${connection}` },
    UpdateExpression: expr`ADD attempts ${added} SET ${facts}`,
  });
  return itemReader(counted).number('attempts');
};

/**
 * Marks a batch of log lines, which CloudWatch Logs may deliver again: it is counted at most once.
 *
 * @param lines the ids of its lines
 * @returns whether it comes for the first time
 */
export const markBatch = (
  table: Table,
  lines: readonly string[],
  now: number,
): Promise<boolean> => {
  // CloudWatch Logs tries for a day.
  const expiresAt = Math.ceil(now / 1000) + 2 * daySeconds;
  const mark = updateItem(table, {
    Key: { pk: `LINES#${keyDigest(lines.join())}`, sk: 'LINES' },
    UpdateExpression: expr`SET expires_at = ${expiresAt}`,
    ConditionExpression: 'attribute_not_exists(pk)',
  });
  return holds(mark);
};

/** How many attempts of a connection there were in the second of this one, which is counted. */
const attemptsInSecond = (table: Table, attempt: Attempt, expiresAt: number): Promise<number> => {
  const kind = attempt.kind === 'token_refused' ? 'token_attempts' : 'attempts';
  return addToCountedLine(table, attempt, { kind, per: 1_000, added: 1, expiresAt });
};

/** The partition of a workspace's stories, each with the title of its last snapshot. */
const titlesKey = (workspace: string): string => `TITLES#${workspace}`;

/** Notes the title of an accepted snapshot, in place of that of the one before. */
const putTitle = async (
  table: Table,
  { workspace, at, title }: AcceptedPublish,
  expiresAt: number,
) => {
  if (!title) return;
  const { storyId, correlationId, headline, slug } = title;
  const Item = defined({
    pk: titlesKey(workspace),
    sk: keyDigest(storyId),
    story_id: storyId,
    correlation_id: correlationId,
    at,
    expires_at: expiresAt,
    headline,
    slug,
  });
  await putItem(table, { Item });
};

const readTitle = (item: Item): StoryTitle & { at: number } => {
  const read = itemReader(item);
  return defined({
    storyId: read.text('story_id'),
    correlationId: read.text('correlation_id'),
    at: read.number('at'),
    headline: read.optionalText('headline'),
    slug: read.optionalText('slug'),
  });
};

export const readTitles = async (
  table: Table,
  workspace: string,
  after?: string,
): Promise<TitlePage> => {
  const pk = titlesKey(workspace);
  const page = await queryPage(table, {
    KeyConditionExpression: expr`pk = ${pk}`,
    ExclusiveStartKey: after === undefined ? undefined : { pk, sk: after },
  });
  const next = page.next && itemReader(page.next).text('sk');
  return defined({ titles: page.items.map(readTitle), next });
};

/** Nothing of a client's name beyond this is kept; characters. */
const maxClient = 200;

/** Adds to the line of a minute, provider and reason. */
const addRefusedIdentity = async (
  table: Table,
  { workspace, at: time, issuer, reason, client }: RefusedIdentity,
  archiveDays: number,
): Promise<void> => {
  const at = time - (time % 60_000);
  const line = defined({
    kind: 'identity_refused',
    at,
    issuer,
    reason,
    client: client?.slice(0, maxClient),
    expires_at: expiryOf(time, archiveDays),
  });
  await updateItem(table, {
    Key: { pk: feedKey(workspace, at), sk: `${iso(at)}#identity#${keyDigest(issuer)}#${reason}` },
    UpdateExpression: expr`ADD attempts ${1} SET ${assignments(line)}`,
  });
};

/** What the recorder needs in addition to its table. */
interface RecorderSettings {
  readonly ids: Ids;
  readonly archiveDays: number;
  lost(activity: Activity['kind'] | 'identity_refused', error: unknown): void;
}

/** The settings, and what items an event has beside its line in the feed. */
interface WriteSettings extends RecorderSettings {
  itemsOf(activity: Event, stamp: EventStamp): readonly Item[];
}

/** Writes all that is kept of an activity, but for its counts. */
const write = async (
  table: Table,
  { ids, archiveDays, itemsOf }: WriteSettings,
  activity: Activity,
) => {
  const expiresAt = expiryOf(activity.at, archiveDays);
  if (activity.kind === 'accepted') return putTitle(table, activity, expiresAt);
  if (activity.kind === 'limited') {
    const line = { kind: 'limited', per: 60_000, added: activity.requests, expiresAt } as const;
    await addToCountedLine(table, activity, line);
    return;
  }
  // A pull that got nothing, or an ack that ended nothing.
  if (activity.kind !== 'token_refused' && messagesOf(activity).length === 0) return;

  const inSecond = isAttempt(activity) ? await attemptsInSecond(table, activity, expiresAt) : 0;
  if (inSecond > limits.attemptsKeptPerSecond) return;

  const stamp = { unique: randomName(ids), expiresAt, keptSeconds: keptFor(archiveDays) };
  // A text that cannot be kept costs no record.
  const texts = activity.kind === 'refused' ? await textItems(table, activity).catch(() => []) : [];
  await batchPut(table, [feedItem(activity, stamp), ...itemsOf(activity, stamp), ...texts]);
};

const recorder = (table: Table, settings: WriteSettings): Recorder => {
  const addCounts = countingIn(table);
  return {
    async record(activity) {
      const writes = [write(table, settings, activity), addCounts(activity)];
      const written = await Promise.allSettled(writes);
      const failed = written.find(one => one.status === 'rejected');
      if (failed) settings.lost(activity.kind, failed.reason);
    },
  };
};

/**
 * Records in DynamoDB: one line per call in the feed of its workspace, one item per minute of its
 * messages, and the counts of its connection.
 */
export const awsRecorder = (table: Table, settings: RecorderSettings): Recorder =>
  recorder(table, { ...settings, itemsOf: itemsByMessage });

/** The same for publishes: their functions carry no code about consumers. */
export const awsAttemptRecorder = (table: Table, settings: RecorderSettings): AttemptRecorder =>
  recorder(table, {
    ...settings,
    itemsOf: (activity, stamp) => {
      if (activity.kind === 'refused' || activity.kind === 'repeated')
        return attemptItems(activity, stamp);
      return [];
    },
  });

/** Notes in the feed of a workspace why tokens of its identity providers are refused. */
export const awsIdentityRefusals = (
  table: Table,
  { archiveDays, lost }: Pick<RecorderSettings, 'archiveDays' | 'lost'>,
): IdentityRefusals => ({
  note: refused =>
    addRefusedIdentity(table, refused, archiveDays).catch(error => lost('identity_refused', error)),
});
