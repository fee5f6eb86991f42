import { batchPut } from '../aws/batches.ts';
import { type Item, itemReader, type Table, updatedItem } from '../aws/table.ts';
import { daySeconds, limits } from '../contract/limits.ts';
import { type Ids, randomName } from '../contract/outside.ts';
import type {
  Activity,
  AttemptsKind,
  Handling,
  Hidden,
  MessageNames,
  Recorder,
  Refused,
  Repeated,
  Replayed,
  TokenRefused,
} from './records.ts';

const iso = (time: number): string => new Date(time).toISOString();

/** The partition of what happened to a message: neither part contains `#`. */
export const messageKey = (workspace: string, messageId: string): string =>
  `MESSAGE#${workspace}#${messageId}`;

/** The partition of what happened in a workspace on the UTC day of a time. */
export const feedKey = (workspace: string, time: number): string =>
  `FEED#${workspace}#${iso(time).slice(0, 10)}`;

export const sorts = {
  received: 'RECEIVED#',
  replayed: 'REPLAYED#',
  refused: 'REFUSED#',
  repeated: 'REPEATED#',
};

/** What an item of an activity is made of, in addition to the activity. */
interface Stamp {
  readonly unique: string;
  readonly expiresAt: number;
}

const names = ({ messageType, correlationId }: Partial<MessageNames>): Item => ({
  ...(messageType === undefined ? {} : { message_type: messageType }),
  ...(correlationId === undefined ? {} : { correlation_id: correlationId }),
});

const deed = ({ connection, workspace, at }: Activity, { expiresAt }: Stamp): Item => ({
  connection,
  workspace,
  at,
  expires_at: expiresAt,
});

/** The partition of the index that lists what ended a copy of a consumer's messages, or sent another one, by its time. */
export const settledOf = (connection: string): string => `${connection}#settled`;

/** The end of a receive replaces its record: both have the same key. */
const receiveItems = (handling: Handling, stamp: Stamp): readonly Item[] =>
  handling.receives.map((receive: Hidden | Handling['receives'][number]) => {
    const { messageId, pull, takenAt, receiveCount, replay } = receive;
    const { kind, connection, workspace, at } = handling;
    const visibleAt = 'visibleAt' in receive ? receive.visibleAt : at;
    return {
      ...deed(handling, stamp),
      ...names(receive),
      pk: messageKey(workspace, messageId),
      sk: `${sorts.received}${connection}#${iso(takenAt)}#${pull}#${replay ?? ''}`,
      message_id: messageId,
      pull,
      taken_at: takenAt,
      receive_count: receiveCount,
      visible_at: visibleAt,
      ...(replay === undefined ? {} : { replay }),
      ...(kind === 'received' ? {} : { [`${kind}_at`]: at }),
      // Beside what was acknowledged, only what cannot be received now is in the index.
      ...(visibleAt > at ? { in_flight_of: connection } : {}),
      ...(kind === 'acknowledged' ? { in_flight_of: settledOf(connection) } : {}),
    };
  });

const replayItems = (replayed: Replayed, stamp: Stamp): readonly Item[] =>
  replayed.messages.map(message => ({
    ...deed(replayed, stamp),
    pk: messageKey(replayed.workspace, message.messageId),
    sk: `${sorts.replayed}${replayed.connection}#${replayed.replay}`,
    message_id: message.messageId,
    replay: replayed.replay,
    in_flight_of: settledOf(replayed.connection),
    visible_at: replayed.at,
  }));

/** Stands with its message, or in the feed if the body named none. */
const refusalFacts = ({ sizeBytes, violations }: Refused): Item => ({
  size_bytes: sizeBytes,
  violations: violations
    .slice(0, limits.violationsKept)
    .map(({ path, ...rest }) => (path === undefined ? rest : { ...rest, path })),
});

const attemptItems = (attempt: Refused | Repeated, stamp: Stamp): readonly Item[] => {
  const { kind, connection, workspace, at, message } = attempt;
  if (message.messageId === undefined) return [];
  return [
    {
      ...deed(attempt, stamp),
      ...names(message),
      pk: messageKey(workspace, message.messageId),
      sk: `${sorts[kind]}${iso(at)}#${connection}#${stamp.unique}`,
      ...(kind === 'refused' ? refusalFacts(attempt) : {}),
    },
  ];
};

const itemsByMessage = (activity: Activity, stamp: Stamp): readonly Item[] => {
  switch (activity.kind) {
    case 'refused':
    case 'repeated':
      return attemptItems(activity, stamp);
    case 'replayed':
      return replayItems(activity, stamp);
    case 'token_refused':
      return [];
    default:
      return receiveItems(activity, stamp);
  }
};

const listed = ({ messageId, messageType, correlationId }: Partial<MessageNames>): Item => ({
  ...(messageId === undefined ? {} : { message_id: messageId }),
  ...names({
    ...(messageType === undefined ? {} : { messageType }),
    ...(correlationId === undefined ? {} : { correlationId }),
  }),
});

const messagesOf = (activity: Activity): readonly Partial<MessageNames>[] => {
  if (activity.kind === 'token_refused') return [];
  if ('receives' in activity) return activity.receives;
  return 'messages' in activity ? activity.messages : [activity.message];
};

/** One line for the whole call, however many messages it is about. */
const feedItem = (activity: Activity, stamp: Stamp): Item => ({
  ...deed(activity, stamp),
  pk: feedKey(activity.workspace, activity.at),
  sk: `${iso(activity.at)}#${stamp.unique}`,
  kind: activity.kind,
  messages: messagesOf(activity).map(listed),
  ...(activity.kind === 'replayed' ? { replay: activity.replay } : {}),
  ...(activity.kind === 'token_refused' ? { reason: activity.reason } : {}),
  ...(activity.kind === 'refused'
    ? activity.message.messageId === undefined
      ? refusalFacts(activity)
      : { rules: [...new Set(activity.violations.map(({ rule }) => rule))].slice(0, limits.violationsKept) }
    : {}),
});

/** What a storm of is counted, and not kept one by one. */
type Attempt = Refused | Repeated | TokenRefused;

const isAttempt = (activity: Activity): activity is Attempt =>
  activity.kind === 'refused' || activity.kind === 'repeated' || activity.kind === 'token_refused';

/** Counts an attempt of a connection, and returns how many of its kind there were in this second. */
const countAttempt = async (table: Table, attempt: Attempt, expiresAt: number): Promise<number> => {
  const second = Math.floor(attempt.at / 1000) * 1000;
  const { connection, workspace } = attempt;
  const kind: AttemptsKind = attempt.kind === 'token_refused' ? 'token_attempts' : 'attempts';
  const counted = await updatedItem(table, {
    Key: { pk: feedKey(workspace, second), sk: `${iso(second)}#${kind}#${connection}` },
    UpdateExpression:
      'ADD attempts :one SET expires_at = :expiry, #connection = :connection, #kind = :kind, #at = :at',
    ExpressionAttributeNames: { '#connection': 'connection', '#kind': 'kind', '#at': 'at' },
    ExpressionAttributeValues: {
      ':one': 1,
      ':expiry': expiresAt,
      ':connection': connection,
      ':kind': kind,
      ':at': second,
    },
  });
  return itemReader(counted).number('attempts');
};

/** What the recorder needs in addition to its table. */
export interface RecorderSettings {
  readonly ids: Ids;
  readonly archiveDays: number;
  /** Counts and logs a record that could not be written. */
  lost(activity: Activity['kind'], fault: unknown): void;
}

const write = async (table: Table, { ids, archiveDays }: RecorderSettings, activity: Activity) => {
  const expiresAt = Math.ceil(activity.at / 1000) + (archiveDays + limits.entryGraceDays) * daySeconds;
  if (isAttempt(activity) && (await countAttempt(table, activity, expiresAt)) > limits.attemptsKeptPerSecond)
    return;
  const stamp = { unique: randomName(ids), expiresAt };
  await batchPut(table, [feedItem(activity, stamp), ...itemsByMessage(activity, stamp)]);
};

/** Records in DynamoDB: one line per call in the feed of its workspace, and one item per message. */
export const awsRecorder = (table: Table, settings: RecorderSettings): Recorder => ({
  async record(activity) {
    if (activity.kind !== 'token_refused' && messagesOf(activity).length === 0) return;
    await write(table, settings, activity).catch((fault: unknown) => settings.lost(activity.kind, fault));
  },
});
