import { createHash } from 'node:crypto';
import type { Connection } from '../access/registry/connection.ts';
import type { Correlation, Entry, EntryWithoutBody } from '../bus/delivery/log.ts';
import { type LastSnapshot, lastSnapshotOf } from '../bus/delivery/start-over.ts';
import { readsSnapshot } from '../bus/publishing/verdict.ts';
import type { ArchiveSummary } from '../bus/replay/replay.ts';
import { canonicalUuid } from '../contract/identifiers.ts';
import { dayMilliseconds, limits } from '../contract/limits.ts';
import { families } from '../contract/message-types.ts';
import { defined, folded, iso } from '../contract/outside.ts';
import type {
  AssetResponse,
  MessageResponse,
  StoryMessage,
  StorySummary,
} from '../contract/portal/work-responses.ts';
import { jsonIn, shorten, textOf, valueAt } from '../platform/json/value.ts';
import { factsOf } from '../som/messages/read-message.ts';
import { consumersOf, maxMinutes } from './outcomes.ts';
import type { PortalPorts } from './ports.ts';

type StoryPorts = Pick<PortalPorts, 'clock' | 'log' | 'archive' | 'archiveTail' | 'acceptances'>;

export const messageRecord = (entry: Entry): MessageResponse => ({
  message_id: entry.messageId,
  message_type: entry.messageType,
  system_id: entry.systemId,
  accepted_at: iso(entry.acceptedAt),
  size_bytes: entry.body.byteLength,
});

/** Whose messages are told: those that one of these connections sent or gets. Undefined: all. */
type Only = ReadonlySet<string> | undefined;

/** Its producer knows all consumers; a guest that is one of them, its own. */
const storyMessage = (entry: Entry, only: Only): StoryMessage => {
  const isWhole = only === undefined || only.has(entry.producer);
  const seen = isWhole
    ? entry.targets
    : entry.targets.filter(({ connection }) => only.has(connection));
  const assets = assetsOf(entry);
  return {
    ...messageRecord(entry),
    producer_id: entry.producer,
    consumers: seen.length,
    facts: factsOf(entry.messageType, entry.body),
    ...(assets.length !== 0 && { assets }),
  };
};

/** Of one snapshot: a page tells no more of them. */
const maxAssets = 50;

/** The assets of a snapshot; a digest tells which of them differ from the snapshot before. */
const assetsOf = ({ messageType, body }: Entry): readonly AssetResponse[] => {
  const isSnapshot = families.get(messageType) === 'story-context';
  const assets = isSnapshot ? valueAt(jsonIn(body), '/payload/assets') : undefined;
  if (!Array.isArray(assets)) return [];
  return assets.slice(0, maxAssets).map((asset: unknown) => ({
    asset_id: shorten(textOf(asset, 'asset_id')),
    asset_type: shorten(textOf(asset, 'asset_type')),
    status: shorten(textOf(asset, 'status')),
    digest: createHash('sha256').update(JSON.stringify(asset)).digest('base64url').slice(0, 8),
  }));
};

export const isTold = (only: Only, { producer, targets }: EntryWithoutBody): boolean =>
  only === undefined ||
  only.has(producer) ||
  targets.some(({ connection }) => only.has(connection));

/**
 * How many messages are looked at for one page: those that somebody may not see cost time as well.
 */
const maxLooked = limits.listPage;

/**
 * So many times as much is passed over in which there is nothing for the reader: a page without
 * anything, and with a next one, would tell a guest how much there is of others. More than that in a
 * row still does.
 */
const maxPassedOver = 5;

/** A page of a story reads its log so often, 1 MB at a time. */
const maxReads = 18;

/** The list of stories looks at so many pages of the archive that have more than test runs. */
const maxPagesRead = 3;

/**
 * Who got the last messages of a page, as far as the reader may know: a producer knows all of it, a
 * consumer its own part.
 */
const deliveredOf = async (
  { clock, history }: Pick<PortalPorts, 'clock' | 'history'>,
  workspace: string,
  { entries, only }: { readonly entries: readonly Entry[]; readonly only: Only },
): Promise<ReadonlyMap<Entry, NonNullable<StoryMessage['delivered']>>> => {
  const minuteOf = ({ acceptedAt }: Entry) => Math.floor(acceptedAt / 60_000);
  const minutes = new Set([...new Set(entries.map(minuteOf))].slice(-maxMinutes));
  const looked = entries.filter(entry => minutes.has(minuteOf(entry)));
  const acceptedAt = new Map(looked.map(one => [one.messageId, one.acceptedAt]));
  const receives = looked.length === 0 ? [] : await history.receivesOf(workspace, acceptedAt);
  const now = clock.now();
  return new Map(
    looked.map(entry => {
      const isSeen = (connection: string) =>
        !only || only.has(entry.producer) || only.has(connection);
      const seen = consumersOf(entry, { receives, now }).filter(one => isSeen(one.connection_id));
      return [entry, seen.slice(0, limits.portalPage)];
    }),
  );
};

/**
 * The messages of one correlation in the order in which the bus accepted them, one page of them;
 * undefined if there are none. `next` is the number after which the next page begins.
 */
export const readStory = async (
  ports: Pick<PortalPorts, 'log' | 'clock' | 'history'>,
  of: Correlation,
  { after, only }: { readonly after: number; readonly only: Only },
): Promise<{ readonly messages: readonly StoryMessage[]; readonly next?: number } | undefined> => {
  const { log } = ports;
  const { last } = await log.head(of);
  if (last === 0) return undefined;
  const told: Entry[] = [];
  let number = after;
  // While there is nothing for the reader, more is passed over.
  const mayLook = () => {
    const most = told.length > 0 ? maxLooked : maxLooked * (1 + maxPassedOver);
    return told.length < limits.portalPage && number < Math.min(last, after + most);
  };
  for (let reads = 0; reads < maxReads && mayLook(); reads += 1) {
    const entries = await log.entries(of, number + 1, last);
    for (const entry of entries) {
      if (told.length === limits.portalPage) break;
      if (isTold(only, entry)) told.push(entry);
      ({ number } = entry);
    }
    // What is missing at the end of a log has expired.
    if (entries.length === 0) number = last;
  }

  const delivered = await deliveredOf(ports, of.workspace, { entries: told, only });
  const messages = told.map(entry => ({
    ...storyMessage(entry, only),
    ...(delivered.has(entry) && { delivered: delivered.get(entry) ?? [] }),
  }));
  return { messages, ...(number < last && { next: number }) };
};

interface StoryTold {
  /** What the next snapshot is compared with. */
  readonly lastSnapshot?: LastSnapshot;
  readonly record?: { readonly story_id: string; readonly started_over_at?: string };
}

/** The story that the newest snapshot of a page is about, and when it was started over. */
export const storyTold = async (
  { acceptances }: Pick<StoryPorts, 'acceptances'>,
  workspace: string,
  messages: readonly StoryMessage[],
): Promise<StoryTold> => {
  const facts = messages.findLast(({ facts: one }) => 'slug' in one)?.facts;
  const storyId = facts?.['story_id'];
  const found = storyId === undefined ? undefined : await acceptances.storyOf(workspace, storyId);
  if (storyId === undefined || found === undefined) return {};
  const { startedOverAt: at } = found;
  return defined({
    lastSnapshot: lastSnapshotOf(found),
    record: defined({ story_id: storyId, started_over_at: at === undefined ? undefined : iso(at) }),
  });
};

/** What a list of stories needs of a message: its body may have 240 KB. */
interface StoryLine extends Pick<Entry, 'correlationId' | 'number' | 'acceptedAt'> {
  readonly facts: Readonly<Record<string, string>>;
}

const lineOf = ({ correlationId, number, acceptedAt, messageType, body }: Entry): StoryLine => ({
  correlationId,
  number,
  acceptedAt,
  facts: factsOf(messageType, body),
});

/** A story as its newest messages tell it. A guest gets the count of those, and no other. */
const summaryOf = (lines: readonly StoryLine[], only: Only): StorySummary[] => {
  const [newest] = lines;
  if (!newest) return [];
  const snapshot = lines.map(({ facts }) => facts).find(one => 'slug' in one);
  const title = snapshot?.['headline'] ?? snapshot?.['slug'];
  return [
    {
      correlation_id: newest.correlationId,
      messages: only === undefined ? newest.number : lines.length,
      last_accepted_at: iso(newest.acceptedAt),
      ...(snapshot?.['story_id'] !== undefined && { story_id: snapshot['story_id'] }),
      ...defined({ title }),
    },
  ];
};

const isUuid = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** Those as whom somebody reads a workspace. Undefined: the house, who reads all. */
type Readers = readonly Connection[] | undefined;

/**
 * The correlation_id of a story by whichever of its ids somebody knows; undefined if the text is
 * none. The name of a story, which can be guessed, means nothing to who may not read its snapshot.
 */
export const correlationMeant = async (
  { acceptances }: Pick<StoryPorts, 'acceptances'>,
  { workspace, readers }: { readonly workspace: string; readonly readers: Readers },
  text: string,
): Promise<string | undefined> => {
  if (isUuid(text)) return canonicalUuid(text);
  const story = await acceptances.storyOf(workspace, text);
  if (story === undefined) return undefined;
  const isRead = readers === undefined || readers.some(one => readsSnapshot(story, one));
  return isRead ? story.correlationId : undefined;
};

interface StoryList {
  readonly stories: readonly StorySummary[];
  readonly next?: string;
}

/** Messages that a list has in memory at a time: five megabytes of the longest. */
const bodiesAtOnce = 20;

const newestRead = 40;

const oneStory = async (
  { log }: Pick<StoryPorts, 'log'>,
  of: Correlation,
  only: Only,
): Promise<StoryList> => {
  const { last } = await log.head(of);
  const entries: Entry[] = [];
  let from = Math.max(1, last - newestRead + 1);
  while (from <= last) {
    const page = await log.entries(of, from, last);
    entries.push(...page);
    // What is missing at the end of a log has expired.
    from = (page.at(-1)?.number ?? last) + 1;
  }
  const told = entries.filter(one => isTold(only, one));
  return { stories: summaryOf(told.reverse().map(lineOf), only) };
};

/**
 * Whether somebody who is told nothing on a page of a story is told anything on its first page, or
 * of its newest messages. To others it does not exist.
 */
export const isAnyTold = async (
  ports: Pick<PortalPorts, 'log' | 'clock' | 'history'>,
  of: Correlation,
  only: ReadonlySet<string>,
): Promise<boolean> => {
  const first = await readStory(ports, of, { after: 0, only });
  if (first === undefined || first.messages.length > 0) return first !== undefined;
  return (await oneStory(ports, of, only)).stories.length > 0;
};

const isTitled =
  (find: string) =>
  ({ title = '' }: StorySummary): boolean =>
    find === '' || folded(title).includes(folded(find));

/** Of how many messages a reader's part is asked for at once. */
const placesAtOnce = 100;

/** What a list needs of some messages, of which few are in memory at a time. */
const linesOf = async (
  { archiveTail }: Pick<StoryPorts, 'archiveTail'>,
  workspace: string,
  summaries: readonly ArchiveSummary[],
): Promise<readonly StoryLine[]> => {
  const lines: StoryLine[] = [];
  for (let from = 0; from < summaries.length; from += bodiesAtOnce) {
    const some = summaries.slice(from, from + bodiesAtOnce);
    const read = await archiveTail.entries(workspace, some);
    lines.push(...read.map(({ entry }) => lineOf(entry)));
  }
  return lines;
};

/** The messages that a reader may know: of those of others no body is read. */
const toldOf = async (
  { archive }: Pick<StoryPorts, 'archive'>,
  workspace: string,
  { summaries, only }: { readonly summaries: readonly ArchiveSummary[]; readonly only: Only },
): Promise<readonly ArchiveSummary[]> => {
  if (!only) return summaries;
  const told: ArchiveSummary[] = [];
  for (let from = 0; from < summaries.length; from += placesAtOnce) {
    const places = summaries.slice(from, from + placesAtOnce);
    for (const { summary, entry } of await archive.withoutBodies(workspace, places))
      if (isTold(only, entry)) told.push(summary);
  }
  return told;
};

/**
 * The stories with the newest messages, one page of them, the newest first; or the one with an id,
 * or those with a part of a title. Each page looks at so many messages: a story that goes on for
 * longer is on the next page, too. `next` goes back as `before`.
 */
export const readStories = async (
  ports: StoryPorts,
  workspace: string,
  {
    before,
    find,
    readers,
  }: { readonly before: string | undefined; readonly find: string; readonly readers: Readers },
): Promise<StoryList> => {
  const { clock, archiveTail } = ports;
  const only = readers && new Set(readers.map(({ id }) => id));
  const correlationId =
    find === '' ? undefined : await correlationMeant(ports, { workspace, readers }, find);
  if (correlationId !== undefined) return oneStory(ports, { workspace, correlationId }, only);

  const now = clock.now();
  const range = { workspace, from: now - limits.feedDays * dayMilliseconds, to: now + 1 };
  const byStory = new Map<string, StoryLine[]>();
  let next = before;
  let read = 0;
  // Pages with nothing but test runs are not counted as read.
  for (let looked = 0; looked <= maxPassedOver && read < maxPagesRead; looked += 1) {
    const page = await archiveTail.latest({ ...range, ...defined({ before: next }) }, maxLooked);
    ({ next } = page);
    // What a run sent is told by the run's page.
    const own = page.summaries.filter(({ isOfRun }) => !isOfRun);
    const told = await toldOf(ports, workspace, { summaries: own, only });
    for (const line of await linesOf(ports, workspace, told))
      byStory.set(line.correlationId, [...(byStory.get(line.correlationId) ?? []), line]);
    if (own.length > 0) read += 1;
    if (next === undefined || byStory.size > 0 || page.summaries.length === 0) break;
  }

  const stories = [...byStory.values()].flatMap(lines => summaryOf(lines, only));
  return { stories: stories.filter(isTitled(find)), ...defined({ next }) };
};
