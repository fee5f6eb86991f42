import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import { type Connections, isRegistered, type Skip } from './connection.ts';
import { type Declined, declined, noConnection, timestamp } from './operator.ts';

export interface SkipPorts {
  readonly clock: Clock;
  readonly connections: Pick<Connections, 'find' | 'setSkips'>;
}

export interface Skips {
  readonly kind: 'skips';
  readonly skips: readonly Skip[];
}

const current = (skips: readonly Skip[], now: number): readonly Skip[] =>
  skips.filter(({ at }) => Date.parse(at) > now - limits.queueRetentionSeconds * 1000);

/**
 * Skips one message of a consumer: the next pull that receives it deletes it instead of returning it, and then no longer blocks
 * its correlation. Within 10 seconds every pull knows. Cloud roles that read the queue themselves still get it.
 */
export const skipMessage = async (
  { clock, connections }: SkipPorts,
  id: string,
  messageId: string,
): Promise<Skips | Declined> => {
  const found = await connections.find(id);
  if (!found || !isRegistered(found.connection)) return noConnection(id);
  if (found.connection.kind !== 'consumer') return declined(`The connection ${id} is not a consumer.`);
  const before = found.connection.skips ?? [];
  const others = current(before, clock.now()).filter(skip => skip.messageId !== messageId);
  if (others.length >= limits.skippedMessages)
    return declined(
      `The connection ${id} skips ${limits.skippedMessages} messages already: mend the consumer, then use a replay.`,
    );
  const skips = [...others, { messageId, at: timestamp({ clock }) }];
  const written = await connections.setSkips(id, { skips, before });
  return written
    ? { kind: 'skips', skips }
    : declined('Someone else changed the connection at the same time: try again.');
};
