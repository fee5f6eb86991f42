import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { itemReader } from '../aws/item-reader.ts';
import type { Item } from '../aws/table.ts';
import { daySeconds, limits } from '../contract/limits.ts';
import type { StoryState } from '../stories/story-state.ts';
import { type AcceptedId, type Commit, type Correlation, type Entry, emptyHead, type Head } from './log.ts';

const digits = 16;

export const idKey = (workspace: string, messageId: string) => ({
  pk: `ID#${workspace}#${messageId}`,
  sk: 'ID',
});

const log = ({ workspace, correlationId }: Correlation): string => `LOG#${workspace}#${correlationId}`;
export const headKey = (correlation: Correlation) => ({ pk: log(correlation), sk: 'HEAD' });
/** Numbers sort as text: `#` and sixteen digits. */
export const entryKey = (correlation: Correlation, number: number) => ({
  pk: log(correlation),
  sk: `#${String(number).padStart(digits, '0')}`,
});

/** The story_id has no bounded form in SOM, a key has: its hash stands for it. */
export const storyKey = (workspace: string, storyHash: string) => ({
  pk: `STORY#${workspace}#${storyHash}`,
  sk: 'STORY',
});

/**
 * The partition of the index that lists logs with something left to send, in the order of their `pending_since`: the time of
 * their turn with the relay. How old they are is `unsent_since`, which the index does not hold.
 */
export const pendingPartition = 'pending';

/** The log that a key names: both of its parts have forms without `#`. */
export const logOf = (pk: string): Correlation => {
  const [, workspace = '', correlationId = ''] = pk.split('#');
  return { workspace, correlationId };
};

/** The partition of the archive's index that holds one workspace's UTC day. */
export const archivePartition = (workspace: string, time: number): string =>
  `${workspace}#${new Date(time).toISOString().slice(0, 10)}`;

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

export const idItem = ({ entry, contentHash, attempt }: Commit): Item => ({
  ...idKey(entry.workspace, entry.messageId),
  content_hash: contentHash,
  attempt,
  correlation_id: entry.correlationId,
  number: entry.number,
  expires_at: seconds(entry.acceptedAt) + limits.idempotencySeconds,
});

/** Undefined for an item that has expired: DynamoDB deletes those days late. */
export const readAcceptedId = (
  messageId: string,
  item: Item | undefined,
  now: number,
): AcceptedId | undefined => {
  if (!item) return undefined;
  const read = itemReader(item);
  if (read.number('expires_at') <= seconds(now)) return undefined;
  return {
    messageId,
    contentHash: read.text('content_hash'),
    correlationId: read.text('correlation_id'),
    number: read.number('number'),
    ...(read.has('attempt') ? { attempt: read.text('attempt') } : {}),
  };
};

export const entryItem = (entry: Entry, archiveDays: number): Item => {
  const acceptedAt = new Date(entry.acceptedAt).toISOString();
  return {
    ...entryKey(entry, entry.number),
    number: entry.number,
    workspace: entry.workspace,
    correlation_id: entry.correlationId,
    message_id: entry.messageId,
    message_type: entry.messageType,
    system_id: entry.systemId,
    producer: entry.producer,
    accepted_at: entry.acceptedAt,
    targets: entry.targets,
    body: deflateRawSync(entry.body, { level: 3 }),
    archive: archivePartition(entry.workspace, entry.acceptedAt),
    archived_at: `${acceptedAt}#${entry.correlationId}#${String(entry.number).padStart(digits, '0')}`,
    expires_at: seconds(entry.acceptedAt) + (archiveDays + limits.entryGraceDays) * daySeconds,
  };
};

const readTargets = (item: Item): Entry['targets'] => {
  const targets: unknown = item['targets'];
  if (!Array.isArray(targets))
    throw new Error(`The stored entry ${String(item['pk'])} has no list of targets.`);
  const reached: unknown = item['reached'];
  return targets
    .map((target: Item) => {
      const read = itemReader(target);
      return { connection: read.text('connection'), queue: read.text('queue') };
    })
    .filter(({ connection }) => !(reached instanceof Set && reached.has(connection)));
};

export const readEntry = (item: Item): Entry => {
  const read = itemReader(item);
  return {
    workspace: read.text('workspace'),
    correlationId: read.text('correlation_id'),
    number: read.number('number'),
    messageId: read.text('message_id'),
    messageType: read.text('message_type'),
    systemId: read.text('system_id'),
    producer: read.text('producer'),
    acceptedAt: read.number('accepted_at'),
    targets: readTargets(item),
    body: inflateRawSync(read.bytes('body')),
  };
};

/** Heads written before there was `unsent_since` have the one time for both. */
const readUnsentSince = (item: Item): number | undefined => {
  const read = itemReader(item);
  if (read.number('published') >= read.number('last')) return undefined;
  if (read.has('unsent_since')) return read.number('unsent_since');
  return read.has('pending_since') ? read.number('pending_since') : undefined;
};

export const readHead = (item: Item | undefined): Head => {
  if (!item) return emptyHead;
  const read = itemReader(item);
  const unsentSince = readUnsentSince(item);
  return {
    last: read.number('last'),
    published: read.number('published'),
    ...(unsentSince === undefined ? {} : { unsentSince }),
    ...(read.has('last_at') ? { lastAcceptedAt: read.number('last_at') } : {}),
    ...(read.has('lease_owner')
      ? { lease: { owner: read.text('lease_owner'), until: read.number('lease_until') } }
      : {}),
  };
};

/** A story's state is stored as JSON text: later versions add members and read these. */
export const storyItem = (
  workspace: string,
  storyHash: string,
  story: { state: StoryState; version: number },
): Item => ({
  ...storyKey(workspace, storyHash),
  version: story.version,
  state: deflateRawSync(JSON.stringify(story.state)),
});
