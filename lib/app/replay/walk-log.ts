import type { WaitingLog } from '../../domain/delivery/replay.ts';
import { horizonOf, isOver, note, type ReplayPorts, type Turn } from './replay-turn.ts';
import { type Outcome, sendAgain } from './send-again.ts';

interface PageResult {
  /** `end`: nothing is left. */
  readonly outcome: Outcome | 'end';
  /** The log without what was handled. */
  readonly log: WaitingLog;
  /** When the last entry that was handled was accepted. */
  readonly reached?: number;
}

/** Sends the next entries of a log that were accepted in a time. */
const sendPage = async (
  ports: ReplayPorts,
  turn: Turn,
  { log, from, to }: { readonly log: WaitingLog; readonly from: number; readonly to: number },
): Promise<PageResult> => {
  const key = { workspace: turn.replay.workspace, correlationId: log.correlationId };
  const entries = log.next > log.last ? [] : await ports.log.entries(key, log.next, log.last);
  let result: PageResult = { outcome: entries.length === 0 ? 'end' : 'done', log };
  for (const entry of entries) {
    if (entry.acceptedAt >= to) return { ...result, outcome: 'end' };
    const outcome = entry.acceptedAt < from ? 'done' : await sendAgain(ports, turn, entry);
    if (outcome !== 'done') return { ...result, outcome };
    result = { outcome, log: { ...log, next: entry.number + 1 }, reached: entry.acceptedAt };
  }
  return result;
};

/** Goes on with a log that waits; false when the turn is over. Where it still waits, others are tried before it. */
const goOnWith = async (ports: ReplayPorts, turn: Turn, waiting: WaitingLog): Promise<boolean> => {
  const { from, to } = turn.replay;
  for (let log = waiting; ; ) {
    const result = await sendPage(ports, turn, { log, from, to });
    log = result.log;
    turn.waiting.delete(log.correlationId);
    if (result.outcome !== 'end') turn.waiting.set(log.correlationId, log);
    if (!(await note(ports, turn)) || result.outcome === 'over') return false;
    if (result.outcome !== 'done') return true;
  }
};

/** Tries the logs that wait again, for half of the turn at most; false when the turn is over. */
export const catchUp = async (ports: ReplayPorts, turn: Turn): Promise<boolean> => {
  const began = ports.clock.now();
  const until = began + (turn.deadline - began) / 2;
  for (const log of [...turn.waiting.values()]) {
    if (ports.clock.now() >= until) return true;
    if (!(await goOnWith(ports, turn, log))) return false;
  }
  return true;
};

/** A replay of one correlation walks its log alone; true at the end of the replay's range. */
export const walkLog = async (ports: ReplayPorts, turn: Turn, correlationId: string): Promise<boolean> => {
  const { workspace, from, to } = turn.replay;
  const horizon = horizonOf(ports, turn);
  if (horizon <= from) return false;
  const { last } = await ports.log.head({ workspace, correlationId });
  while (!isOver(ports, turn)) {
    const log = { correlationId, next: turn.next, last };
    const result = await sendPage(ports, turn, { log, from: turn.reached, to: horizon });
    turn.next = result.log.next;
    turn.reached = Math.max(turn.reached, result.reached ?? 0);
    if (result.outcome === 'waits') turn.waiting.set(correlationId, result.log);
    else turn.waiting.delete(correlationId);
    if (!(await note(ports, turn))) return false;
    if (result.outcome !== 'done') return result.outcome === 'end' && horizon >= to;
  }
  return false;
};
