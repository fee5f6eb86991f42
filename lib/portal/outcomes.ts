import { copyStates } from '../bus/activity/message-life.ts';
import type { ReceiveRecord } from '../bus/activity/records.ts';
import type { Entry } from '../bus/delivery/log.ts';
import type { Archive, ArchiveSummary } from '../bus/replay/replay.ts';
import { dayMilliseconds } from '../contract/limits.ts';
import type { OutcomeResponse } from '../contract/portal/overview-responses.ts';
import { factsOf } from '../som/messages/read-message.ts';
import type { Line } from './feed.ts';
import type { PortalPorts } from './ports.ts';

/**
 * What consumers did is kept by the minute in which its message was accepted: a page covers so
 * many, each of which is read.
 */
export const maxMinutes = 10;

/** Of one message: the others are counted. */
const maxConsumers = 8;

const minuteOf = ({ at }: Line): number => Math.floor(at / 60_000);

/** The first lines of a page, as many as its minutes allow. */
export const withinMinutes = (lines: readonly Line[]): readonly Line[] => {
  const minutes = new Set<number>();
  for (const [index, line] of lines.entries()) {
    if (line.summary) minutes.add(minuteOf(line));
    if (minutes.size > maxMinutes) return lines.slice(0, index);
  }
  return lines;
};

type ConsumerOutcome = OutcomeResponse['consumers'][number];

/** What consumers did until now, which is in epoch milliseconds. */
interface Received {
  readonly receives: readonly ReceiveRecord[];
  readonly now: number;
}

const outcomeAt = (
  connection: string,
  { acceptedAt }: Entry,
  { receives, now }: Received,
): ConsumerOutcome => {
  const own = receives.filter(one => one.connection === connection && one.replay === undefined);
  const [state = 'queued'] = copyStates({ receives: own, replays: [] }, { acceptedAt, now });
  const done = own.find(({ acknowledgedAt }) => acknowledgedAt !== undefined)?.acknowledgedAt;
  return {
    connection_id: connection,
    state,
    ...(done !== undefined && { latency_ms: Math.max(0, done - acceptedAt) }),
  };
};

/**
 * Where a message is for each of its consumers, those first that have not acknowledged it; as many
 * as somebody sees of them.
 */
export const consumersOf = (
  entry: Entry,
  { receives, now }: Received,
): readonly ConsumerOutcome[] => {
  const of = { receives: receives.filter(({ messageId }) => messageId === entry.messageId), now };
  return entry.targets
    .map(({ connection }) => outcomeAt(connection, entry, of))
    .sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
};

const isOpen = ({ state }: ConsumerOutcome): boolean => state !== 'acknowledged';

/**
 * What each accepted message of a page says and where it is for its consumers, the open ones first;
 * by its position.
 */
export const outcomesOf = async (
  { clock, history, archiveTail }: Pick<PortalPorts, 'clock' | 'history' | 'archiveTail'>,
  workspace: string,
  lines: readonly Line[],
): Promise<ReadonlyMap<string, OutcomeResponse>> => {
  const summaries: readonly ArchiveSummary[] = lines.flatMap(({ summary }) => summary ?? []);
  if (summaries.length === 0) return new Map();
  const acceptedAt = new Map(summaries.map(one => [one.messageId, one.acceptedAt]));
  const [found, receives] = await Promise.all([
    archiveTail.entries(workspace, summaries),
    history.receivesOf(workspace, acceptedAt),
  ]);
  const now = clock.now();
  return new Map(
    found.map(({ summary, entry }) => {
      const consumers = consumersOf(entry, { receives, now });
      const outcome = {
        system_id: entry.systemId,
        facts: factsOf(entry.messageType, entry.body),
        consumers: consumers.slice(0, maxConsumers),
        more_consumers: Math.max(0, consumers.length - maxConsumers),
      };
      return [summary.position, outcome];
    }),
  );
};

/**
 * A consumer with messages, and when the last one that it acknowledged was accepted (epoch
 * milliseconds), if that is known.
 */
interface Behind {
  readonly connection: string;
  readonly front: number | undefined;
}

const pageSize = 100;

/** Each page is two reads. */
const maxPages = 8;

/**
 * When the first message was accepted that each of some consumers got after the last one that it
 * acknowledged: the oldest that waits, if the consumer takes them in order. The archive is read
 * once for all of them, from the one that is furthest behind. A consumer is missing from the
 * response if that is too far to look.
 */
export const oldestWaiting = async (
  archive: Archive,
  { workspace, now }: { workspace: string; now: number },
  consumers: readonly Behind[],
): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>();
  // From when on the oldest of a consumer is looked for, while it is not found.
  const open = new Map(
    consumers.map(({ connection, front }) => [connection, front ?? now - dayMilliseconds]),
  );
  let after: string | undefined;
  for (let pages = 0; pages < maxPages && open.size > 0; pages += 1) {
    const from = Math.min(...open.values());
    // The archive is read on from where it was left, or from later: between two consumers there may
    // be much that neither waits for.
    const begin = after === undefined || Date.parse(after.slice(0, 24)) < from ? {} : { after };
    const summaries = await archive.page({ workspace, from, to: now + 1, ...begin }, pageSize);
    for (const { entry } of await archive.entries(workspace, summaries)) {
      for (const { connection } of entry.targets) {
        const front = open.get(connection);
        if (front === undefined || entry.acceptedAt <= front) continue;
        found.set(connection, entry.acceptedAt);
        open.delete(connection);
      }
    }
    after = summaries.at(-1)?.position;
    if (summaries.length < pageSize) break;
  }
  return found;
};
