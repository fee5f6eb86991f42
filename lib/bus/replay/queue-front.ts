import { type Connection, isSameCopy, type Skip } from '../../access/registry/connection.ts';
import { type Principals, verifiedRolesOf } from '../../access/trust/principals.ts';
import { dayMilliseconds, limits } from '../../contract/limits.ts';
import { type Clock, defined } from '../../contract/outside.ts';
import type { ConsumerState } from '../../contract/portal/overview-responses.ts';
import { copiesOf, type MessageCopy, stateOfCopy } from '../activity/message-life.ts';
import type { CopyRecords, History } from '../activity/records.ts';
import { type Entry, type EntryWithoutBody, isTarget, type Log } from '../delivery/log.ts';
import type { HeldMessages } from '../delivery/queues.ts';
import {
  type Archive,
  type ArchiveSummary,
  includes,
  type LogPlace,
  type Replay,
  type ReplayList,
  type Replays,
} from './replay.ts';

export interface FrontPorts {
  readonly clock: Clock;
  readonly archive: Pick<Archive, 'page' | 'withoutBodies'>;
  readonly log: Pick<Log, 'head'>;
  readonly history: Pick<History, 'copyRecords'>;
  readonly queueAges: HeldMessages;
  readonly principals: Pick<Principals, 'list'>;
  readonly replays: Pick<Replays, 'findAll'>;
  readonly replayList: ReplayList;
}

/** A copy of a message that a queue still holds. */
export interface QueuedCopy {
  readonly entry: EntryWithoutBody;
  /** Where the archive has it. */
  readonly place: ArchiveSummary;
  /** Epoch milliseconds: when it was put into the queue, a publish's by when it was accepted. */
  readonly sentAt: number;
  /** The replay that sent it, if one did. */
  readonly replay?: string;
  readonly state: Extract<ConsumerState, 'queued' | 'received' | 'returned'>;
  /** Epoch milliseconds: when it can be received again, if it cannot now. */
  readonly visibleAt?: number;
  /** How often it was received. */
  readonly receives: number;
  /**
   * Whether nothing is delivered before it: no earlier copy of its correlation, and none of another
   * one that can be received now.
   */
  readonly isNext: boolean;
}

/** Why the bus cannot know which message a consumer gets next. */
export type UnknownFront =
  | 'cloud_role'
  | 'many_records'
  | 'no_age'
  | 'many_replays'
  | 'far_replay'
  | 'long_story';

export interface QueueFront {
  /** In the order in which they were put into the queue, from the first one on. */
  readonly copies: readonly QueuedCopy[];
  /** Absent if the order is known. */
  readonly unknown?: UnknownFront;
}

/**
 * How much is looked at: whatever waits behind it, the front of a queue is at its beginning. With
 * what else a request reads, these are at most twenty pages of a table.
 */
export const frontLimits = {
  copies: 50,
  page: 100,
  pages: 10,
  replays: 3,
  replayPages: 2,
  /** Days of the archive where the queue does not tell how long its oldest message has waited. */
  daysWithoutAge: 9,
  /** Copies that may be next: of more, it is not looked at what is before them. */
  heads: 10,
  /** Messages of a correlation that are looked at before such a copy, and at a time. */
  before: 100,
  beforeAtOnce: 10,
  /** SQS's age leaves a message out that was received so often. */
  receivesInAge: 3,
} as const;

/** How long a publish may take from its time to the queue, with the difference of clocks. */
const sendMilliseconds = limits.publishBudgetMilliseconds + 2 * limits.clockSkewMilliseconds;

/** A copy of which it is not decided yet whether it is next. */
type HeldCopy = Omit<QueuedCopy, 'isNext'>;

const isOpen = (state: ConsumerState): state is QueuedCopy['state'] =>
  state === 'queued' || state === 'received' || state === 'returned';

type Archived = Pick<QueuedCopy, 'entry' | 'place'>;

/** A copy, or nothing once it is not in its queue any more. */
const openCopy = (archived: Archived, copy: MessageCopy, now: number): readonly HeldCopy[] => {
  const state = stateOfCopy(copy, now);
  if (!isOpen(state)) return [];

  const visibleAt = state === 'queued' ? undefined : copy.receives.at(-1)?.visibleAt;
  const receives = copy.receives.at(-1)?.receiveCount ?? 0;
  const facts = defined({ visibleAt, replay: copy.replay });
  return [{ ...archived, sentAt: copy.sentAt, receives, state, ...facts }];
};

/** A stretch of the archive, and which copies of its messages are looked for. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly maxPages: number;
  /** Undefined: those of publishes. */
  readonly replay?: Replay;
  wants(entry: EntryWithoutBody): boolean;
}

interface Walked {
  readonly copies: readonly HeldCopy[];
  /** Whether the stretch was read to its end. */
  readonly isWhole: boolean;
  /** Whether all records of its messages were read. */
  readonly isSure: boolean;
}

/** The records of one message. */
const recordsFor = ({ receives, replays }: CopyRecords, messageId: string) => ({
  receives: receives.filter(one => one.messageId === messageId),
  replays: replays.filter(one => one.messageId === messageId),
});

/** Copies of some messages that the queue still holds: those of publishes, or of one replay. */
const openCopies = async (
  { history, clock }: FrontPorts,
  consumer: Connection,
  { archived, replay }: { archived: readonly Archived[]; replay?: string },
): Promise<Pick<Walked, 'copies' | 'isSure'>> => {
  const now = clock.now();
  const times = archived.map(({ entry }) => [entry.messageId, entry.acceptedAt] as const);
  const records = await history.copyRecords(consumer, new Map(times));

  const copies = archived.flatMap(one => {
    const { messageId, acceptedAt } = one.entry;
    const { receives, replays } = recordsFor(records, messageId);
    const sent = copiesOf(receives, { acceptedAt, replays });
    const asked = sent.filter(copy => copy.replay === replay);
    return asked.flatMap(copy => openCopy(one, copy, now));
  });
  return { copies, isSure: records.isWhole };
};

const archivedAt = async (
  { archive }: FrontPorts,
  workspace: string,
  places: readonly LogPlace[],
): Promise<readonly Archived[]> => {
  const found = await archive.withoutBodies(workspace, places);
  return found.map(({ summary, entry }) => ({ place: summary, entry }));
};

/** The first copies of a stretch that the queue still holds. */
const walk = async (ports: FrontPorts, consumer: Connection, stretch: Stretch): Promise<Walked> => {
  const { workspace } = consumer;
  const range = { workspace, from: stretch.from, to: stretch.to };
  const copies: HeldCopy[] = [];
  let isSure = true;
  let after: string | undefined;
  for (let pages = 0; pages < stretch.maxPages; pages += 1) {
    const page = defined({ ...range, after });
    const summaries = await ports.archive.page(page, frontLimits.page);
    const archived = await archivedAt(ports, workspace, summaries);

    const wanted = archived.filter(({ entry }) => stretch.wants(entry));
    const asked = defined({ archived: wanted, replay: stretch.replay?.id });
    const open = await openCopies(ports, consumer, asked);
    copies.push(...open.copies);
    isSure &&= open.isSure;

    if (summaries.length < frontLimits.page) return { copies, isSure, isWhole: true };
    if (copies.length > frontLimits.copies) return { copies, isSure, isWhole: false };
    after = summaries.at(-1)?.position;
  }
  return { copies, isSure, isWhole: false };
};

/**
 * The number in its log before which to look for what was published before a copy. A replay sends
 * its copies later: any message of the log may have been published before one.
 */
const endBefore = async (
  { log }: FrontPorts,
  { workspace }: Connection,
  { entry: { correlationId, number }, replay }: HeldCopy,
): Promise<number> => {
  if (replay === undefined) return number;
  return (await log.head({ workspace, correlationId })).last + 1;
};

/**
 * The last message that was published for a consumer before a copy was sent, in its correlation. A
 * queue delivers it first as long as it holds it.
 */
const messageBefore = async (
  ports: FrontPorts,
  consumer: Connection,
  copy: HeldCopy,
): Promise<Archived | 'far' | undefined> => {
  const { correlationId } = copy.entry;
  const isBefore = ({ entry }: Archived) =>
    isTarget(entry, consumer.id) && entry.acceptedAt <= copy.sentAt;

  const last = await endBefore(ports, consumer, copy);
  const lowest = Math.max(1, last - frontLimits.before);
  for (let end = last; end > lowest; end -= frontLimits.beforeAtOnce) {
    const first = Math.max(lowest, end - frontLimits.beforeAtOnce);
    const places = Array.from({ length: end - first }, (_, index) => ({
      correlationId,
      number: first + index,
    }));
    const archived = await archivedAt(ports, consumer.workspace, places);
    const found = archived.findLast(isBefore);
    if (found) return found;
    // What is older has expired, too.
    if (archived.length === 0) return undefined;
  }
  return lowest === 1 ? undefined : 'far';
};

/**
 * Whether the age of the queue's oldest message leaves a copy out: one that a consumer gets again
 * and again, and that blocks its correlation.
 */
const isStuck = ({ receives }: HeldCopy): boolean => receives >= frontLimits.receivesInAge;

/** Copies that are in the queue before those that seem to be next, and that its age leaves out. */
const stuckBefore = async (
  ports: FrontPorts,
  consumer: Connection,
  heads: readonly HeldCopy[],
): Promise<Omit<Walked, 'isWhole'> & { isFar: boolean }> => {
  const copies: HeldCopy[] = [];
  let isSure = true;
  let isFar = false;
  for (const head of heads) {
    const before = await messageBefore(ports, consumer, head);
    if (before === 'far') isFar = true;
    if (before === undefined || before === 'far') continue;
    const open = await openCopies(ports, consumer, { archived: [before] });
    // Others are older than what the queue holds: their acknowledgement could not be recorded.
    copies.push(...open.copies.filter(isStuck));
    isSure &&= open.isSure;
  }
  return { copies, isSure, isFar };
};

/**
 * The last replays to a consumer that may still have copies in its queue; `isAll` is false if there
 * are more.
 */
const lastReplays = async ({ replayList, replays, clock }: FrontPorts, { id }: Connection) => {
  const { entries, next } = await replayList.ofConnection(id, { max: frontLimits.replays });
  const found = await replays.findAll(entries);
  const oldest = Math.min(...found.map(({ createdAt }) => createdAt));
  const kept = limits.queueRetentionSeconds * 1000 + limits.replayMaxDays * dayMilliseconds;
  return { found, isAll: next === undefined || oldest < clock.now() - kept };
};

/**
 * A replay's copies of one turn are recorded with one time: they were sent in the archive's order,
 * which a sort keeps.
 */
const byTime = (a: HeldCopy, b: HeldCopy): number => a.sentAt - b.sentAt;

const keyOf = ({ entry, replay = '' }: HeldCopy): string => `${entry.messageId} ${replay}`;

/**
 * Several stretches in one order. What comes after the last copy of a stretch that was not read to
 * its end is left out: that stretch may have more before it.
 */
const merged = (walks: readonly Walked[]): readonly HeldCopy[] => {
  const unfinished = walks.filter(({ isWhole }) => !isWhole);
  const knownUntil = Math.min(...unfinished.map(({ copies }) => copies.at(-1)?.sentAt ?? 0));
  const copies = walks.flatMap(one => one.copies).filter(({ sentAt }) => sentAt <= knownUntil);
  return copies.sort(byTime).slice(0, frontLimits.copies);
};

/**
 * Of copies in their order: which of them are next. What is skipped already is deleted by the pull
 * that would deliver it.
 */
const withNext = (copies: readonly HeldCopy[], skips: readonly Skip[]): readonly QueuedCopy[] => {
  const correlations = new Set<string>();
  let isOneReceivable = false;
  return copies.map(copy => {
    const { correlationId, messageId } = copy.entry;
    const isSkipped = skips.some(skip => isSameCopy(skip, { messageId, replay: copy.replay }));
    if (isSkipped) return { ...copy, isNext: false };

    const isFirst = !correlations.has(correlationId);
    correlations.add(correlationId);
    const isNext = isFirst && !isOneReceivable;
    // The first of a correlation can be received now, unless it is in flight: what stands behind
    // it is delivered later.
    if (isFirst && copy.state === 'queued') isOneReceivable = true;
    return { ...copy, isNext };
  });
};

/** The first of the reasons that holds. */
const unknownOf = (reasons: Readonly<Record<UnknownFront, boolean>>): UnknownFront | undefined =>
  (Object.keys(reasons) as UnknownFront[]).find(name => reasons[name]);

/**
 * The copies of some replays that the queue still holds. One replay after the other: a page of
 * large messages takes 24 MB while it is read.
 */
const walkReplays = async (
  ports: FrontPorts,
  consumer: Connection,
  { replays, end }: { replays: readonly Replay[]; end: number },
): Promise<readonly Walked[]> => {
  const walks: Walked[] = [];
  for (const replay of replays) {
    const replayed = await walk(ports, consumer, {
      from: replay.from,
      to: Math.min(replay.to, end),
      maxPages: frontLimits.replayPages,
      replay,
      wants: entry => includes(replay, consumer, entry),
    });
    walks.push(replayed);
  }
  return walks;
};

/** What is asked before the archive is read. */
const queueFacts = async (ports: FrontPorts, consumer: Connection) => {
  const [heldSince, principals, replays] = await Promise.all([
    // What cannot be asked now is not known.
    ports.queueAges.heldSince(consumer.queue ?? '').catch(() => undefined),
    ports.principals.list(consumer.workspace),
    lastReplays(ports, consumer),
  ]);
  const isReadByRole = verifiedRolesOf(principals, consumer.id).length > 0;
  return { heldSince, isReadByRole, replays };
};

/** Since when a queue can hold what was published; epoch milliseconds. */
const beginOf = (heldSince: number | undefined, now: number): number => {
  const oldest = now - limits.queueRetentionSeconds * 1000;
  const since = heldSince ?? now - frontLimits.daysWithoutAge * dayMilliseconds;
  return Math.max(oldest, since - sendMilliseconds);
};

/**
 * Copies in their order, with those that the age of the queue left out before the first ones. Of
 * those alone before which it was looked, it can be said that they are next.
 */
const withStuck = async (ports: FrontPorts, consumer: Connection, held: readonly HeldCopy[]) => {
  const { skips = [] } = consumer;
  const seemingNext = withNext(held, skips).filter(({ isNext }) => isNext);
  const heads = seemingNext.slice(0, frontLimits.heads);
  const stuck = await stuckBefore(ports, consumer, heads);

  const checked = new Set([...heads, ...stuck.copies].map(keyOf));
  const ordered = withNext([...stuck.copies, ...held].sort(byTime), skips);
  const copies = ordered.map(copy => ({
    ...copy,
    isNext: copy.isNext && checked.has(keyOf(copy)),
  }));
  return { copies, isSure: stuck.isSure, isFar: stuck.isFar };
};

/**
 * The front of a consumer's queue, however much it holds. How long its oldest message has waited
 * comes from the queue itself, and the archive is read from there: what was put into the queue
 * later, and was neither acknowledged nor skipped, is in it.
 *
 * @param unsent messages that the queue does not have yet
 */
export const queueFront = async (
  ports: FrontPorts,
  consumer: Connection,
  unsent: readonly Entry[],
): Promise<QueueFront> => {
  const now = ports.clock.now();
  const { heldSince, isReadByRole, replays } = await queueFacts(ports, consumer);
  const from = beginOf(heldSince, now);
  const end = now + 1;

  const waiting = new Set(unsent.map(({ messageId }) => messageId));
  const published = await walk(ports, consumer, {
    from,
    to: end,
    maxPages: frontLimits.pages,
    wants: entry => isTarget(entry, consumer.id) && !waiting.has(entry.messageId),
  });
  const replayed = await walkReplays(ports, consumer, { replays: replays.found, end });
  const walks = [published, ...replayed];

  // An acknowledgement that could not be recorded leaves a copy that the queue does not hold.
  const isHeld = (copy: HeldCopy) => copy.sentAt >= from || isStuck(copy);
  const held = merged(walks).filter(isHeld);
  const { copies, isSure, isFar } = await withStuck(ports, consumer, held);

  const isKnownEmpty = published.isWhole && published.copies.length === 0;
  const unknown = unknownOf({
    cloud_role: isReadByRole,
    many_records: !isSure || walks.some(one => !one.isSure),
    no_age: heldSince === undefined && !isKnownEmpty,
    many_replays: !replays.isAll,
    far_replay: replayed.some(one => !one.isWhole && one.copies.length === 0),
    long_story: isFar,
  });
  return defined({ copies, unknown });
};

export interface OldestWaiting {
  /** Undefined if the queue holds nothing, or if it is not known which copy is its oldest. */
  readonly oldest?: QueuedCopy;
  readonly unknown?: UnknownFront;
}

/**
 * Which copy has waited for the longest.
 *
 * @param held how many copies the queue holds, as it says itself
 */
export const oldestIn = ({ copies, unknown }: QueueFront, held: number): OldestWaiting => {
  // Then nothing is in it that was not found, however old it would be.
  const areAllFound = unknown === 'no_age' && copies.length >= held;
  if (unknown !== undefined && !areAllFound) return { unknown };
  return defined({ oldest: copies[0] });
};
