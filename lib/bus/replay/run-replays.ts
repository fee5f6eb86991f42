import { type Connection, isKept } from '../../access/registry/connection.ts';
import { dayMilliseconds, limits } from '../../contract/limits.ts';
import { defined, randomName } from '../../contract/outside.ts';
import type { Entry } from '../delivery/log.ts';
import {
  type ArchiveSummary,
  progressOf,
  type Replay,
  type ReplayPorts,
  type ReplayProgress,
  type WaitingLog,
} from './replay.ts';
import { type EntryOutcome, ReplayTurn } from './replay-turn.ts';

/** The progress after a part of the work, and whether the turn continues. */
interface Step {
  readonly progress: ReplayProgress;
  readonly goesOn: boolean;
}

/** The progress at the end of a turn, and whether nothing is left but what waits. */
interface Walk {
  readonly progress: ReplayProgress;
  readonly ended: boolean;
}

/** Lets a log wait, or changes how much of it waits. */
const setAside = (progress: ReplayProgress, log: WaitingLog): ReplayProgress => {
  const isSame = (one: WaitingLog) => one.correlationId === log.correlationId;
  if (progress.waiting.some(isSame))
    return { ...progress, waiting: progress.waiting.map(one => (isSame(one) ? log : one)) };
  return { ...progress, waiting: [...progress.waiting, log] };
};

const withoutLog = (waiting: readonly WaitingLog[], correlationId: string): readonly WaitingLog[] =>
  waiting.filter(log => log.correlationId !== correlationId);

/**
 * Handles one entry of the archive. One that has to wait is set aside, with all that follow in its
 * log.
 */
const passEntry = async (
  turn: ReplayTurn,
  progress: ReplayProgress,
  entry: Entry,
): Promise<Step> => {
  const { correlationId, number } = entry;
  const log = progress.waiting.find(one => one.correlationId === correlationId);
  if (log) return { progress: setAside(progress, { ...log, last: number }), goesOn: true };

  switch (await turn.send(entry)) {
    case 'sent':
      return { progress: { ...progress, sent: progress.sent + 1 }, goesOn: true };
    case 'excluded':
      return { progress, goesOn: true };
    case 'over':
      return { progress, goesOn: false };
    case 'waits': {
      if (progress.waiting.length >= limits.replayWaitingLogs) return { progress, goesOn: false };
      const waiting = { correlationId, next: number, last: number };
      return { progress: setAside(progress, waiting), goesOn: true };
    }
  }
};

/** The progress when everything up to a place of the archive was handled. */
const upTo = (
  progress: ReplayProgress,
  { position, acceptedAt }: ArchiveSummary,
): ReplayProgress => ({
  ...progress,
  position,
  reached: acceptedAt,
});

const passPage = async (
  { archive }: ReplayPorts,
  turn: ReplayTurn,
  { begin, summaries }: { begin: ReplayProgress; summaries: readonly ArchiveSummary[] },
): Promise<Step> => {
  let progress = begin;
  for (const { summary, entry } of await archive.entries(turn.replay.workspace, summaries)) {
    const step = await passEntry(turn, progress, entry);
    if (!step.goesOn) return step;
    progress = upTo(step.progress, summary);
  }
  // The last places of the page may be of entries that expired.
  const last = summaries.at(-1);
  return { progress: last ? upTo(progress, last) : progress, goesOn: true };
};

const walkArchive = async (
  ports: ReplayPorts,
  turn: ReplayTurn,
  begin: ReplayProgress,
): Promise<Walk> => {
  const { workspace, from, to } = turn.replay;
  let progress = begin;
  while (!turn.isOver()) {
    const horizon = turn.horizon();
    if (horizon <= from) break;

    const range = defined({ workspace, from, to: horizon, after: progress.position });
    const summaries = await ports.archive.page(range, limits.replayPage);
    if (summaries.length === 0) return { progress, ended: horizon >= to };

    const step = await passPage(ports, turn, { begin: progress, summaries });
    progress = step.progress;
    if (!(await turn.save(progress)) || !step.goesOn) break;
  }
  return { progress, ended: false };
};

/** How far a page of a log was sent. */
interface LogPage {
  /** `end`: nothing is left in the range. `more`: all of the page was handled. */
  readonly state: Extract<EntryOutcome, 'waits' | 'over'> | 'end' | 'more';
  /** What is left of the log. */
  readonly log: WaitingLog;
  readonly sent: number;
  /** `acceptedAt` of the last entry that was handled; 0 when none was. */
  readonly reached: number;
}

/** Sends the next entries of a log that were accepted before `to`. */
const sendPage = async (
  ports: ReplayPorts,
  turn: ReplayTurn,
  { log, to }: { log: WaitingLog; to: number },
): Promise<LogPage> => {
  const { workspace, from } = turn.replay;
  const key = { workspace, correlationId: log.correlationId };
  const entries = log.next > log.last ? [] : await ports.log.entries(key, log.next, log.last);

  let { next } = log;
  let sent = 0;
  let reached = 0;
  const pageIn = (state: LogPage['state']) => ({ state, log: { ...log, next }, sent, reached });

  if (entries.length === 0) return pageIn('end');
  for (const entry of entries) {
    if (entry.acceptedAt >= to) return pageIn('end');
    const outcome = entry.acceptedAt < from ? 'excluded' : await turn.send(entry);
    if (outcome === 'waits' || outcome === 'over') return pageIn(outcome);
    if (outcome === 'sent') sent += 1;
    next = entry.number + 1;
    reached = entry.acceptedAt;
  }
  return pageIn('more');
};

/**
 * Continues with one log that waits. If it has to wait again, the others are tried first next time.
 */
const resumeLog = async (
  ports: ReplayPorts,
  turn: ReplayTurn,
  { begin, waiting }: { begin: ReplayProgress; waiting: WaitingLog },
): Promise<Step> => {
  let progress = begin;
  let log = waiting;
  for (;;) {
    const page = await sendPage(ports, turn, { log, to: turn.replay.to });
    log = page.log;

    const others = withoutLog(progress.waiting, log.correlationId);
    progress = {
      ...progress,
      sent: progress.sent + page.sent,
      waiting: page.state === 'end' ? others : [...others, log],
    };
    if (!(await turn.save(progress)) || page.state === 'over') return { progress, goesOn: false };
    if (page.state !== 'more') return { progress, goesOn: true };
  }
};

/** Tries the logs that wait again, for half of the turn at most. */
const resumeLogs = async (
  ports: ReplayPorts,
  turn: ReplayTurn,
  begin: ReplayProgress,
): Promise<Step> => {
  const began = ports.clock.now();
  let progress = begin;
  for (const waiting of begin.waiting) {
    if (turn.isHalfOver(began)) break;
    const step = await resumeLog(ports, turn, { begin: progress, waiting });
    if (!step.goesOn) return step;
    progress = step.progress;
  }
  return { progress, goesOn: true };
};

const walkLog = async (
  ports: ReplayPorts,
  turn: ReplayTurn,
  correlationId: string,
): Promise<Walk> => {
  const { workspace, from, to } = turn.replay;
  const horizon = turn.horizon();
  let progress = progressOf(turn.replay);
  if (horizon <= from) return { progress, ended: false };

  const { last } = await ports.log.head({ workspace, correlationId });
  while (!turn.isOver()) {
    const page = await sendPage(ports, turn, {
      log: { correlationId, next: progress.next, last },
      to: horizon,
    });
    progress = {
      ...progress,
      sent: progress.sent + page.sent,
      next: page.log.next,
      reached: Math.max(progress.reached, page.reached),
      waiting: page.state === 'waits' ? [page.log] : [],
    };
    if (!(await turn.save(progress))) break;
    if (page.state !== 'more') return { progress, ended: page.state === 'end' && horizon >= to };
  }
  return { progress, ended: false };
};

/**
 * Continues a replay where it stopped: first with what waits, then through the archive or the log
 * of its correlation.
 */
const work = async (ports: ReplayPorts, turn: ReplayTurn): Promise<void> => {
  const { id, correlationId } = turn.replay;
  let walk: Walk;
  if (correlationId !== undefined) walk = await walkLog(ports, turn, correlationId);
  else {
    const { progress, goesOn } = await resumeLogs(ports, turn, progressOf(turn.replay));
    if (!goesOn) return;
    walk = await walkArchive(ports, turn, progress);
  }
  if (walk.ended && walk.progress.waiting.length === 0)
    await ports.replays.end(id, { status: 'finished' });
};

const queueGone = 'The queue of the connection is gone.';
const { replayMaxDays } = limits;

/** Why a replay cannot go on; undefined if it can. */
const reasonToEnd = (
  connection: Connection | undefined,
  { createdAt }: Replay,
  now: number,
): string | undefined => {
  if (!isKept(connection)) return queueGone;
  if (connection.isSuspended)
    return 'The organisation of the connection, or its host, was suspended.';
  if (now >= createdAt + replayMaxDays * dayMilliseconds)
    return `It did not end within ${replayMaxDays} days.`;
  return undefined;
};

const advance = async (
  ports: ReplayPorts,
  id: string,
  { owner, deadline }: { owner: string; deadline: number },
): Promise<void> => {
  const now = ports.clock.now();
  const lease = { owner, until: now + limits.replayLeaseMilliseconds };
  const replay = await ports.replays.acquire(id, lease, now);
  if (!replay) return;

  const connection = await ports.registry.connection(replay.connection);
  const reason = reasonToEnd(connection, replay, now);
  if (reason !== undefined || connection?.queue === undefined) {
    await ports.replays.end(id, { status: 'failed', reason: reason ?? queueGone });
    return;
  }

  const turn = new ReplayTurn(ports, replay, {
    connection,
    queue: connection.queue,
    lease,
    deadline,
  });
  // The replay of a paused consumer waits.
  if (connection.status === 'active')
    await work(ports, turn).catch((error: unknown) => {
      turn.fail(error);
    });
  await turn.giveBack();
};

/**
 * One run over all replays, each with its share of the time. Runs may overlap: the holder of a
 * replay's lease works on it. What a crashed run sent after it last saved its progress is sent
 * again, with the same deduplication ids. If some replays could not continue, the run throws at its
 * end.
 */
export const runReplays = (ports: ReplayPorts) =>
  /** @param deadline epoch milliseconds */
  async function runReplays(deadline: number): Promise<void> {
    const owner = randomName(ports.ids);
    const running = await ports.replays.running();
    const errors: unknown[] = [];
    for (const [index, id] of running.entries()) {
      const now = ports.clock.now();
      const share = (deadline - now) / (running.length - index);
      // A replay that cannot continue does not stop the others; the next run tries it again.
      await advance(ports, id, { owner, deadline: now + share }).catch((error: unknown) => {
        errors.push(error);
      });
    }
    if (errors.length > 0)
      throw new AggregateError(errors, `${errors.length} replays could not continue.`);
  };
