import { limits } from '../contract/limits.ts';
import type { Entry } from '../delivery/log.ts';
import {
  type ArchiveSummary,
  progressOf,
  type ReplayPorts,
  type ReplayProgress,
  type WaitingLog,
} from './replay.ts';
import type { Outcome, ReplayTurn } from './replay-turn.ts';

/** The progress after a part of the work, and whether the turn continues. */
interface Step {
  readonly progress: ReplayProgress;
  readonly goesOn: boolean;
}

/** The progress after a walk, and whether it came to the end of the replay's range. */
export interface Walk {
  readonly progress: ReplayProgress;
  readonly ended: boolean;
}

const setAside = (progress: ReplayProgress, log: WaitingLog): ReplayProgress => {
  const isSame = (one: WaitingLog) => one.correlationId === log.correlationId;
  return progress.waiting.some(isSame)
    ? { ...progress, waiting: progress.waiting.map(one => (isSame(one) ? log : one)) }
    : { ...progress, waiting: [...progress.waiting, log] };
};

const withoutLog = (waiting: readonly WaitingLog[], correlationId: string): readonly WaitingLog[] =>
  waiting.filter(log => log.correlationId !== correlationId);

/** Handles one entry of the archive. One that has to wait is set aside, with all that follow in its log. */
const passEntry = async (turn: ReplayTurn, progress: ReplayProgress, entry: Entry): Promise<Step> => {
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
    case 'waits':
      return progress.waiting.length < limits.replayWaitingLogs
        ? { progress: setAside(progress, { correlationId, next: number, last: number }), goesOn: true }
        : { progress, goesOn: false };
  }
};

const upTo = (progress: ReplayProgress, { position, acceptedAt }: ArchiveSummary): ReplayProgress => ({
  ...progress,
  position,
  reached: acceptedAt,
});

const passPage = async (
  { archive }: ReplayPorts,
  turn: ReplayTurn,
  { begin, summaries }: { readonly begin: ReplayProgress; readonly summaries: readonly ArchiveSummary[] },
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

/** Walks the archive in the order of acceptance, page by page. */
const walkArchive = async (ports: ReplayPorts, turn: ReplayTurn, begin: ReplayProgress): Promise<Walk> => {
  const { workspace, from, to } = turn.replay;
  let progress = begin;
  while (!turn.isOver()) {
    const horizon = turn.horizon();
    if (horizon <= from) break;
    const after = progress.position === undefined ? {} : { after: progress.position };
    const summaries = await ports.archive.page({ workspace, from, to: horizon, ...after }, limits.replayPage);
    if (summaries.length === 0) return { progress, ended: horizon >= to };
    const step = await passPage(ports, turn, { begin: progress, summaries });
    progress = step.progress;
    if (!(await turn.save(progress)) || !step.goesOn) break;
  }
  return { progress, ended: false };
};

/** The outcome of one page of a log. */
interface LogPage {
  /** `end`: nothing is left in the range. `more`: all of the page was handled. */
  readonly state: Extract<Outcome, 'waits' | 'over'> | 'end' | 'more';
  /** The log without the entries that were handled. */
  readonly log: WaitingLog;
  readonly sent: number;
  /** `acceptedAt` of the last entry that was handled; 0 when none was. */
  readonly reached: number;
}

/** Sends the next entries of a log that were accepted before `to`. */
const sendPage = async (
  ports: ReplayPorts,
  turn: ReplayTurn,
  { log, to }: { readonly log: WaitingLog; readonly to: number },
): Promise<LogPage> => {
  const { workspace, from } = turn.replay;
  const key = { workspace, correlationId: log.correlationId };
  const entries = log.next > log.last ? [] : await ports.log.entries(key, log.next, log.last);
  let page: LogPage = { state: entries.length === 0 ? 'end' : 'more', log, sent: 0, reached: 0 };
  for (const entry of entries) {
    if (entry.acceptedAt >= to) return { ...page, state: 'end' };
    const outcome = entry.acceptedAt < from ? 'excluded' : await turn.send(entry);
    if (outcome === 'waits' || outcome === 'over') return { ...page, state: outcome };
    page = {
      state: 'more',
      log: { ...log, next: entry.number + 1 },
      sent: page.sent + (outcome === 'sent' ? 1 : 0),
      reached: entry.acceptedAt,
    };
  }
  return page;
};

/** Continues with one log that waits. If it has to wait again, the others are tried first next time. */
const resumeLog = async (
  ports: ReplayPorts,
  turn: ReplayTurn,
  { begin, waiting }: { readonly begin: ReplayProgress; readonly waiting: WaitingLog },
): Promise<Step> => {
  let [progress, log] = [begin, waiting];
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
const resumeLogs = async (ports: ReplayPorts, turn: ReplayTurn, begin: ReplayProgress): Promise<Step> => {
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

/** Replays one correlation: walks its log, and not the archive. */
const walkLog = async (ports: ReplayPorts, turn: ReplayTurn, correlationId: string): Promise<Walk> => {
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

/** Continues a replay where it stopped: first with what waits, then through the archive or the log of its correlation. */
export const walkReplay = async (ports: ReplayPorts, turn: ReplayTurn): Promise<Walk> => {
  const { replay } = turn;
  if (replay.correlationId !== undefined) return walkLog(ports, turn, replay.correlationId);
  const { progress, goesOn } = await resumeLogs(ports, turn, progressOf(replay));
  return goesOn ? walkArchive(ports, turn, progress) : { progress, ended: false };
};
