import { limits } from '../../contract/limits.ts';
import type { Entry } from '../../domain/delivery/log.ts';
import { includes } from '../../domain/delivery/replay.ts';
import { isOver, type ReplayPorts, type Turn } from './replay-turn.ts';

/** `done`: sent, or not a part of the replay. `waits`: not now, and nothing after it of its log. `over`: the turn is. */
export type Outcome = 'done' | 'waits' | 'over';

/**
 * Whether an entry, or an earlier one of its log, is still on its way to the consumer: a replay never overtakes that. What
 * is on its way to others only is none of its business.
 */
const isAwaited = async ({ log }: ReplayPorts, turn: Turn, entry: Entry): Promise<boolean> => {
  const { correlationId, number } = entry;
  const known = turn.delivered.get(correlationId) ?? 0;
  if (known >= number) return false;
  const { published } = await log.head(entry);
  for (let next = Math.max(known, published) + 1; next <= number; ) {
    const page = await log.entries(entry, next, number);
    const ours = page.some(({ targets }) => targets.some(one => one.connection === turn.connection.id));
    if (ours) return true;
    next = (page.at(-1)?.number ?? number) + 1;
  }
  turn.delivered.set(correlationId, Math.max(published, number));
  return false;
};

/** Keeps to the rate. */
const pace = async ({ clock }: ReplayPorts, turn: Turn): Promise<void> => {
  if (turn.sendAt > clock.now()) await clock.sleep(turn.sendAt - clock.now());
  turn.sendAt = clock.now() + 1000 / limits.replayPerSecond;
};

const sendOne = async (ports: ReplayPorts, turn: Turn, entry: Entry): Promise<Outcome> => {
  if (!includes(turn.replay, turn.connection, entry)) return 'done';
  if (await isAwaited(ports, turn, entry)) return 'waits';
  await pace(ports, turn);
  if (isOver(ports, turn)) return 'over';
  if ((await ports.queues.send(turn.queue, entry, turn.replay.id)) === 'gone') {
    // Made a moment ago, or deleted by hand: the next turn looks whether the connection is still there.
    turn.faults.push(new Error(`The queue ${turn.queue} cannot be found.`));
    return 'over';
  }
  turn.sent += 1;
  return 'done';
};

const words = (fault: unknown): string =>
  fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);

/** Sends an entry again when its turn has come. A fault is noted, and keeps no more than the entry's own log waiting. */
export const sendAgain = (ports: ReplayPorts, turn: Turn, entry: Entry): Promise<Outcome> =>
  sendOne(ports, turn, entry).catch((fault: unknown) => {
    turn.faults.push(new Error(`${entry.messageId} was not sent: ${words(fault)}`, { cause: fault }));
    return 'waits';
  });
