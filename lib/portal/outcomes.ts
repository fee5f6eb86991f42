import { copyStates } from '../activity/message-life.ts';
import type { History, ReceiveRecord } from '../activity/records.ts';
import type { Clock } from '../contract/outside.ts';
import type { OutcomeResponse } from '../contract/portal-responses.ts';
import type { Entry } from '../delivery/log.ts';
import type { ArchiveSummary, ArchiveTail } from '../replay/replay.ts';
import { factsOf } from '../stories/sequence-rules.ts';
import type { Line } from './feed.ts';

/** What telling the outcomes of messages needs. */
export interface OutcomePorts {
  readonly clock: Clock;
  readonly history: Pick<History, 'receivesOf'>;
  readonly archiveTail: Pick<ArchiveTail, 'entries'>;
}

/** What consumers did is kept by the minute in which its message was accepted: a page covers so many, each of which is read. */
const maxMinutes = 10;

/** Of one message: the others are counted. */
const maxConsumers = 8;

const minuteOf = ({ at }: Line): number => Math.floor(at / 60_000);

/** The first lines of a page, as many as its minutes allow. */
export const withinMinutes = (lines: readonly Line[]): readonly Line[] => {
  const minutes = new Set<number>();
  const end = lines.findIndex(line => line.summary && minutes.add(minuteOf(line)).size > maxMinutes);
  return end < 0 ? lines : lines.slice(0, end);
};

type ConsumerOutcome = OutcomeResponse['consumers'][number];

const outcomeAt = (
  connection: string,
  { acceptedAt }: Entry,
  { receives, now }: { readonly receives: readonly ReceiveRecord[]; readonly now: number },
): ConsumerOutcome => {
  const own = receives.filter(one => one.connection === connection && one.replay === undefined);
  const [state = 'queued'] = copyStates({ receives: own, replays: [] }, { acceptedAt, now });
  const done = own.find(({ acknowledgedAt }) => acknowledgedAt !== undefined)?.acknowledgedAt;
  return {
    connection_id: connection,
    state,
    ...(done === undefined ? {} : { latency_ms: Math.max(0, done - acceptedAt) }),
  };
};

const isOpen = ({ state }: ConsumerOutcome): boolean => state !== 'acknowledged';

/** What each accepted message of a page says and where it is for its consumers, the open ones first; by its position. */
export const outcomesOf = async (
  { clock, history, archiveTail }: OutcomePorts,
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
      const of = { receives: receives.filter(({ messageId }) => messageId === entry.messageId), now };
      const consumers = entry.targets
        .map(({ connection }) => outcomeAt(connection, entry, of))
        .sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
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
