import { createHash } from 'node:crypto';
import { queueName } from '../../contract/environments.ts';
import { daySeconds, limits } from '../../contract/limits.ts';
import { defined, iso, utcDay } from '../../contract/outside.ts';
import { type Item, itemReader, keyDigest } from '../../platform/aws/table.ts';
import { compress, decompress } from '../../platform/json/compression.ts';
import {
  parseStoryState,
  type StoryState,
  storyStateText,
} from '../../som/stories/sequence-rules.ts';
import { leaseIn } from './leased-work.dynamodb.ts';
import {
  type AcceptedId,
  type Commit,
  type Correlation,
  type Entry,
  type EntryFacts,
  type EntryWithoutBody,
  emptyHead,
  type GuestReaders,
  type Head,
  type KnownStory,
  type Placement,
  type StoredStory,
} from './log.ts';

/** With sixteen digits, numbers sort as text. */
const paddedNumber = (number: number): string => String(number).padStart(16, '0');

export const idKey = (workspace: string, messageId: string) => ({
  pk: `ID#${workspace}#${messageId}`,
  sk: 'ID',
});

const logKey = ({ workspace, correlationId }: Correlation): string =>
  `LOG#${workspace}#${correlationId}`;

export const headKey = (correlation: Correlation) => ({ pk: logKey(correlation), sk: 'HEAD' });

export const entryKey = (correlation: Correlation, number: number) => ({
  pk: logKey(correlation),
  sk: `#${paddedNumber(number)}`,
});

export const storyKey = (workspace: string, storyId: string) => ({
  pk: `STORY#${workspace}#${keyDigest(storyId)}`,
  sk: 'STORY',
});

export const pendingReplays = 'replay';

/**
 * The partitions of the same index that list logs with unsent entries, each by its due time. Every
 * accepted message writes to the index twice, and a partition takes a thousand writes a second.
 */
export const pendingLogs = Array.from(
  { length: limits.pendingShards },
  (_, shard) => `log-${shard}`,
);

export const pendingLogsWith = (log: Correlation): string => {
  const hash = createHash('sha256').update(logKey(log)).digest().readUInt32BE(0);
  return `log-${hash % limits.pendingShards}`;
};

/** The log that a partition key names. Neither a workspace id nor a correlation_id contains `#`. */
export const logOf = (pk: string): Correlation => {
  const [, workspace = '', correlationId = ''] = pk.split('#');
  return { workspace, correlationId };
};

export const archiveDay = (workspace: string, time: number): string =>
  `${workspace}#${utcDay(time)}`;

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

const endOfEntry = (entry: Entry, archiveDays: number): number =>
  seconds(entry.acceptedAt) + (archiveDays + limits.entryGraceDays) * daySeconds;

/**
 * It outlives the time in which the id is taken: as long as there is an entry, its id leads to it.
 */
export const idItem = ({ entry, bodyHash, attempt }: Commit, archiveDays: number): Item => ({
  ...idKey(entry.workspace, entry.messageId),
  body_hash: bodyHash,
  attempt,
  correlation_id: entry.correlationId,
  number: entry.number,
  taken_until: seconds(entry.acceptedAt) + limits.idempotencySeconds,
  expires_at: endOfEntry(entry, archiveDays),
});

/** Undefined for an id that is free again. */
export const readAcceptedId = (
  messageId: string,
  item: Item | undefined,
  now: number,
): AcceptedId | undefined => {
  if (!item) return undefined;
  const read = itemReader(item);
  if (read.number('taken_until') <= seconds(now)) return undefined;
  return {
    messageId,
    bodyHash: read.text('body_hash'),
    correlationId: read.text('correlation_id'),
    number: read.number('number'),
    attempt: read.text('attempt'),
  };
};

/** An attribute with compressed content; most are in raw deflate, and do not say so. */
const compressed = (name: 'body' | 'state', content: Uint8Array): Item => {
  const { coding, bytes } = compress(content);
  return defined({
    [name]: bytes,
    [`${name}_coding`]: coding === 'deflate-raw' ? undefined : coding,
  });
};

const decompressed = (item: Item, name: 'body' | 'state'): Buffer => {
  const coding: unknown = item[`${name}_coding`] ?? 'deflate-raw';
  if (coding !== 'deflate-raw' && coding !== 'brotli')
    throw new Error(`The ${name} of the stored item ${String(item['pk'])} has an unknown coding.`);
  return decompress(itemReader(item).bytes(name), coding);
};

/**
 * Beside the order, all that lists show: they need not read the entries, whose bodies are large.
 * None of the parts contains `#`.
 */
const archivePosition = (entry: Entry): string =>
  [
    iso(entry.acceptedAt),
    entry.correlationId,
    paddedNumber(entry.number),
    entry.messageId,
    entry.producer,
    entry.isOfRun ? 'run' : '',
    entry.messageType,
  ].join('#');

export const readFacts = (item: Item): EntryFacts => {
  const [
    at = '',
    correlationId = '',
    number,
    messageId = '',
    producer = '',
    run,
    messageType = '',
  ] = itemReader(item).text('archive_position').split('#');
  return {
    correlationId,
    number: Number(number),
    messageId,
    messageType,
    producer,
    acceptedAt: Date.parse(at),
    ...(run === 'run' && { isOfRun: true }),
  };
};

/**
 * Nothing stands in it twice: most messages then take one write unit instead of two, and each
 * consumer that a message is for adds seventeen bytes to its item.
 */
export const entryItem = (entry: Entry, archiveDays: number): Item =>
  defined({
    ...entryKey(entry, entry.number),
    system_id: entry.systemId,
    targets: entry.targets.map(({ connection }) => connection),
    traceparent: entry.traceparent,
    ...compressed('body', entry.body),
    archive_day: archiveDay(entry.workspace, entry.acceptedAt),
    archive_position: archivePosition(entry),
    expires_at: endOfEntry(entry, archiveDays),
  });

const readTargets = (item: Item): Entry['targets'] => {
  const read = itemReader(item);
  // A damaged entry must not count as sent to nobody.
  if (!read.has('targets'))
    throw new Error(`The stored entry ${String(item['pk'])} has no targets.`);
  return read.texts('targets').map(connection => ({ connection, queue: queueName(connection) }));
};

const readSet = (item: Item, name: 'delivered' | 'skipped'): ReadonlySet<unknown> => {
  const stored: unknown = item[name];
  if (stored instanceof Set) return stored;
  return new Set();
};

/** Its targets are all that it is for, those that have it included. */
export const readEntryWithoutBody = (item: Item): EntryWithoutBody => {
  const read = itemReader(item);
  return defined({
    workspace: logOf(read.text('pk')).workspace,
    ...readFacts(item),
    systemId: read.text('system_id'),
    targets: readTargets(item),
    traceparent: read.optionalText('traceparent'),
  });
};

/** Its targets are those that do not have it yet. */
export const readEntry = (item: Item): Entry => {
  const { targets, ...entry } = readEntryWithoutBody(item);
  const delivered = readSet(item, 'delivered');
  return {
    ...entry,
    targets: targets.filter(({ connection }) => !delivered.has(connection)),
    body: decompressed(item, 'body'),
  };
};

export const readPlacement = (item: Item, { published }: Head): readonly Placement[] => {
  const { number } = readFacts(item);
  const delivered = readSet(item, 'delivered');
  const skipped = readSet(item, 'skipped');
  return readTargets(item).map(({ connection }) => {
    if (skipped.has(connection)) return { connection, state: 'skipped' };
    const isQueued = number <= published || delivered.has(connection);
    return { connection, state: isQueued ? 'queued' : 'waiting' };
  });
};

export const readHead = (item: Item | undefined): Head => {
  if (!item) return emptyHead;
  const read = itemReader(item);
  const last = read.number('last');
  const published = read.number('published');
  return {
    last,
    published,
    ...(published < last && { unsentSince: read.number('unsent_since') }),
    lastAcceptedAt: read.number('last_accepted_at'),
    ...leaseIn(read),
  };
};

export const storyItem = (
  { workspace, correlationId }: Correlation,
  { state, version, guestReaders, startedOverAt }: StoredStory,
): Item =>
  defined({
    ...storyKey(workspace, state.storyId),
    correlation_id: correlationId,
    version,
    guests: guestReaders?.organisations,
    accepted_at: guestReaders?.acceptedAt,
    started_over_at: startedOverAt,
    ...compressed('state', Buffer.from(storyStateText(state))),
  });

const readGuests = (item: Item): GuestReaders | undefined => {
  const read = itemReader(item);
  if (!read.has('guests')) return undefined;
  return { organisations: read.texts('guests'), acceptedAt: read.number('accepted_at') };
};

const readStoryState = (item: Item): StoryState => {
  const state = parseStoryState(decompressed(item, 'state').toString('utf8'));
  if (!state) throw new Error(`The stored story ${String(item['pk'])} has no readable state.`);
  return state;
};

export const readKnownStory = (item: Item): KnownStory => {
  const read = itemReader(item);
  const startedOverAt = read.optionalNumber('started_over_at');
  // Only a story that was started over has no state: a damaged one must not count as a new one.
  const isForgotten = startedOverAt !== undefined && !read.has('state');
  return defined({
    startedOverAt,
    state: isForgotten ? undefined : readStoryState(item),
    version: read.number('version'),
    guestReaders: readGuests(item),
  });
};
