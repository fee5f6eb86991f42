import { limits } from '../../contract/limits.ts';
import type { Entry } from '../../domain/delivery/log.ts';
import type { ArchivePage } from '../../ports/archive.ts';
import { horizonOf, isOver, note, type ReplayPorts, type Turn } from './replay-turn.ts';
import { sendAgain } from './send-again.ts';

/** False when the walk cannot go on past an entry. One that has to wait is set aside, with all that follow in its log. */
const passes = async (ports: ReplayPorts, turn: Turn, entry: Entry): Promise<boolean> => {
  const { correlationId, number } = entry;
  const log = turn.waiting.get(correlationId);
  if (log) {
    turn.waiting.set(correlationId, { ...log, last: number });
    return true;
  }
  const outcome = await sendAgain(ports, turn, entry);
  if (outcome !== 'waits') return outcome === 'done';
  if (turn.waiting.size >= limits.replayWaitingLogs) return false;
  turn.waiting.set(correlationId, { correlationId, next: number, last: number });
  return true;
};

/** One page; false when the turn ended within it. */
const passPage = async (ports: ReplayPorts, turn: Turn, { places }: ArchivePage): Promise<boolean> => {
  for (const { place, entry } of await ports.archive.entries(turn.replay.workspace, places)) {
    if (!(await passes(ports, turn, entry))) return false;
    turn.position = place.position;
    turn.reached = place.acceptedAt;
  }
  // Behind the last one that is still there may be places of others that expired.
  const last = places.at(-1);
  turn.position = last?.position ?? turn.position;
  turn.reached = last?.acceptedAt ?? turn.reached;
  return true;
};

/** Walks the archive in the order of acceptance, page by page; true at the end of the replay's range. */
export const walkArchive = async (ports: ReplayPorts, turn: Turn): Promise<boolean> => {
  const { workspace, from, to } = turn.replay;
  while (!isOver(ports, turn)) {
    const horizon = horizonOf(ports, turn);
    if (horizon <= from) return false;
    const after = turn.position === undefined ? {} : { after: turn.position };
    const page = await ports.archive.page({ workspace, from, to: horizon, ...after }, limits.replayPage);
    if (page.places.length === 0) return horizon >= to;
    const passed = await passPage(ports, turn, page);
    if (!(await note(ports, turn)) || !passed) return false;
  }
  return false;
};
