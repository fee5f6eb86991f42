import { type Connection, isSameCopy, type Skip } from '../../access/registry/connection.ts';
import { type Principals, verifiedRolesOf } from '../../access/trust/principals.ts';
import { limits } from '../../contract/limits.ts';
import { type Clock, defined } from '../../contract/outside.ts';
import type { ConsumerState } from '../../contract/portal/overview-responses.ts';
import { copiesOf, type MessageCopy, stateOfCopy } from '../activity/message-life.ts';
import type { CopyRecords, History } from '../activity/records.ts';
import type { Entry } from '../delivery/log.ts';
import type { HeldMessages } from '../delivery/queues.ts';
import { type Archive, includes, type Replay, type ReplayList, type Replays } from './replay.ts';

export interface FrontPorts {
  readonly clock: Clock;
  readonly archive: Archive;
  readonly history: Pick<History, 'copyRecords'>;
  readonly queueAges: HeldMessages;
  readonly principals: Pick<Principals, 'list'>;
  readonly replays: Pick<Replays, 'find'>;
  readonly replayList: ReplayList;
}

/** A copy of a message that a queue still holds. */
export interface QueuedCopy {
  readonly entry: Entry;
  /** Epoch milliseconds: when it was put into the queue, a publish's by when it was accepted. */
  readonly sentAt: number;
  /** The replay that sent it, if one did. */
  readonly replay?: string;
  readonly state: Extract<ConsumerState, 'queued' | 'received' | 'returned'>;
  /** Epoch milliseconds: when it can be received again, if it cannot now. */
  readonly visibleAt?: number;
  /**
   * Whether nothing is delivered before it: no earlier copy of its correlation, and none of another
   * one that can be received now.
   */
  readonly isNext: boolean;
}

/** Why the bus cannot know which message a consumer gets next. */
export type UnknownFront = 'cloud_role' | 'many_records' | 'no_age' | 'many_replays' | 'far_replay';

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
} as const;

/** How long a publish may take from its time to the queue, with the difference of clocks. */
const sendMilliseconds = limits.publishBudgetMilliseconds + 2 * limits.clockSkewMilliseconds;

type Found = Omit<QueuedCopy, 'isNext'>;

const isOpen = (state: ConsumerState): state is QueuedCopy['state'] =>
  state === 'queued' || state === 'received' || state === 'returned';

/** A copy as long as it is in its queue. */
const openCopy = (entry: Entry, copy: MessageCopy, now: number): readonly Found[] => {
  const state = stateOfCopy(copy, now);
  if (!isOpen(state)) return [];
  const visibleAt = state === 'queued' ? undefined : copy.receives.at(-1)?.visibleAt;
  return [{ entry, sentAt: copy.sentAt, state, ...defined({ visibleAt, replay: copy.replay }) }];
};

/** A stretch of the archive, and which copies of its messages are looked for. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly maxPages: number;
  /** Undefined: those of publishes. */
  readonly replay?: Replay;
  wants(entry: Entry): boolean;
}

interface Walked {
  readonly copies: readonly Found[];
  /** Whether the stretch was read to its end. */
  readonly isWhole: boolean;
  /** Whether all records of its messages were read. */
  readonly isSure: boolean;
}

interface Wanted {
  readonly connection: string;
  readonly messageId: string;
}

const recordsFor = ({ receives, replays }: CopyRecords, { connection, messageId }: Wanted) => ({
  receives: receives.filter(one => one.connection === connection && one.messageId === messageId),
  replays: replays.filter(one => one.connection === connection && one.messageId === messageId),
});

/** The first copies of a stretch that the queue still holds. */
const walk = async (ports: FrontPorts, consumer: Connection, stretch: Stretch): Promise<Walked> => {
  const { archive, clock, history } = ports;
  const { workspace, id: connection } = consumer;
  const range = { workspace, from: stretch.from, to: stretch.to };
  const now = clock.now();
  const copies: Found[] = [];
  let isSure = true;
  let after: string | undefined;
  for (let pages = 0; pages < stretch.maxPages; pages += 1) {
    const summaries = await archive.page({ ...range, ...defined({ after }) }, frontLimits.page);
    const entries = (await archive.entries(workspace, summaries)).map(({ entry }) => entry);
    const wanted = entries.filter(entry => stretch.wants(entry));
    const acceptedAt = new Map(wanted.map(entry => [entry.messageId, entry.acceptedAt]));
    const records = await history.copyRecords(workspace, acceptedAt);
    isSure &&= records.isWhole;
    for (const entry of wanted) {
      const own = recordsFor(records, { connection, messageId: entry.messageId });
      const all = copiesOf(own.receives, { acceptedAt: entry.acceptedAt, replays: own.replays });
      const asked = all.filter(({ replay }) => replay === stretch.replay?.id);
      copies.push(...asked.flatMap(copy => openCopy(entry, copy, now)));
    }
    if (summaries.length < frontLimits.page) return { copies, isSure, isWhole: true };
    if (copies.length > frontLimits.copies) return { copies, isSure, isWhole: false };
    after = summaries.at(-1)?.position;
  }
  return { copies, isSure, isWhole: false };
};

/**
 * The last replays to a consumer that may still have copies in its queue; `isAll` is false if there
 * are more.
 */
const lastReplays = async ({ replayList, replays, clock }: FrontPorts, { id }: Connection) => {
  const { entries, next } = await replayList.ofConnection(id, { max: frontLimits.replays });
  const found = (await Promise.all(entries.map(one => replays.find(one)))).flatMap(
    one => one ?? [],
  );
  const oldest = Math.min(...found.map(({ createdAt }) => createdAt));
  const kept = limits.queueRetentionSeconds * 1000 + limits.replayMaxDays * 86_400_000;
  return { found, isAll: next === undefined || oldest < clock.now() - kept };
};

/**
 * A replay's copies of one turn are recorded with one time: they were sent in the archive's order,
 * which a sort keeps.
 */
const byTime = (a: Found, b: Found): number => a.sentAt - b.sentAt;

/** Several stretches in one order, as far as all of them were read. */
const merged = (walks: readonly Walked[]): readonly Found[] => {
  const ends = walks.flatMap(({ copies, isWhole }) =>
    isWhole ? [] : [copies.at(-1)?.sentAt ?? 0],
  );
  const end = Math.min(...ends);
  const all = walks.flatMap(({ copies }) => copies).filter(({ sentAt }) => sentAt <= end);
  return all.sort(byTime).slice(0, frontLimits.copies);
};

/**
 * Of copies in their order: which of them are next. What is skipped already is deleted by the pull
 * that would deliver it.
 */
const withNext = (copies: readonly Found[], skips: readonly Skip[]): readonly QueuedCopy[] => {
  const passed = new Set<string>();
  let isBehind = false;
  return copies.map(copy => {
    const { correlationId, messageId } = copy.entry;
    const isSkipped = skips.some(skip => isSameCopy(skip, { messageId, replay: copy.replay }));
    if (isSkipped) return { ...copy, isNext: false };
    const isFirst = !passed.has(correlationId);
    passed.add(correlationId);
    const isNext = isFirst && !isBehind;
    if (isFirst && copy.state === 'queued') isBehind = true;
    return { ...copy, isNext };
  });
};

const unknownOf = (reasons: Readonly<Record<UnknownFront, boolean>>): UnknownFront | undefined =>
  (Object.keys(reasons) as UnknownFront[]).find(name => reasons[name]);

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
  const { id, queue = '', workspace, skips = [] } = consumer;
  const now = ports.clock.now();
  const [heldSince, principals, { found: replays, isAll }] = await Promise.all([
    // What cannot be asked now is not known.
    ports.queueAges.heldSince(queue).catch(() => undefined),
    ports.principals.list(workspace),
    lastReplays(ports, consumer),
  ]);
  const oldest = now - limits.queueRetentionSeconds * 1000;
  const since = heldSince ?? now - frontLimits.daysWithoutAge * 86_400_000;
  const from = Math.max(oldest, since - sendMilliseconds);
  const waiting = new Set(unsent.map(({ messageId }) => messageId));
  const published = await walk(ports, consumer, {
    from,
    to: now + 1,
    maxPages: frontLimits.pages,
    wants: ({ targets, messageId }) =>
      targets.some(({ connection }) => connection === id) && !waiting.has(messageId),
  });
  const replayed = await Promise.all(
    replays.map(replay =>
      walk(ports, consumer, {
        from: replay.from,
        to: Math.min(replay.to, now + 1),
        maxPages: frontLimits.replayPages,
        replay,
        wants: entry => includes(replay, consumer, entry),
      }),
    ),
  );
  // An acknowledgement that could not be recorded leaves a copy that the queue does not hold.
  const held = merged([published, ...replayed]).filter(({ sentAt }) => sentAt >= from);
  const copies = withNext(held, skips);
  const isFar = replayed.some(({ copies: some, isWhole }) => !isWhole && some.length === 0);
  const unknown = unknownOf({
    cloud_role: verifiedRolesOf(principals, id).length > 0,
    many_records: [published, ...replayed].some(({ isSure }) => !isSure),
    no_age: heldSince === undefined && !(published.isWhole && published.copies.length === 0),
    many_replays: !isAll,
    far_replay: isFar,
  });
  return { copies, ...defined({ unknown }) };
};
