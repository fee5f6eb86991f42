import {
  type Connection,
  type Credentials,
  isSameCopy,
  type SkippedCopy,
} from '../../access/registry/connection.ts';
import { changed, type Declined, declined } from '../../access/registry/declined.ts';
import { canonicalUuid } from '../../contract/identifiers.ts';
import {
  type FrontPorts,
  frontLimits,
  type QueuedCopy,
  queueFront,
  type UnknownFront,
} from './queue-front.ts';
import { type BacklogPorts, unsentTo } from './queue-view.ts';

/** Why the front of a queue is not known, in a sentence. */
export const unknownWords: Readonly<Record<UnknownFront, string>> = {
  cloud_role:
    'A program of this consumer reads the queue with a cloud role, which the bus does not see.',
  many_records: 'More was done with these messages in a minute than the bus reads at once.',
  no_age:
    'The queue does not say how long its oldest message has waited. Look again in a few minutes.',
  many_replays: `More than ${frontLimits.replays} replays may still have copies in the queue.`,
  far_replay:
    'A replay sent so much that the bus cannot find its first copy that is still in the queue.',
  long_story: 'Its story has more messages for others before it than the bus looks at.',
};

const notKnown = (unknown: UnknownFront): Declined =>
  declined(
    `Nothing was skipped: the bus cannot know what is delivered next. ${unknownWords[unknown]}`,
  );

const copyOf = ({ entry, replay }: QueuedCopy): SkippedCopy => ({
  messageId: entry.messageId,
  replay,
});

/** As a person reads it: which copy of a message. */
const copyWords = ({ messageId, replay }: SkippedCopy): string =>
  replay === undefined ? messageId : `${messageId} (of the replay ${replay})`;

const notNext = (copy: SkippedCopy, next: QueuedCopy | undefined): Declined => {
  const skipped = `Nothing was skipped: ${copyWords(copy)}`;
  if (next === undefined) return changed(`${skipped} is not in the queue any more.`);
  const words = `${next.entry.messageType} ${copyWords(copyOf(next))}`;
  return changed(`${skipped} is not next any more. Next is the ${words}.`);
};

type SkipPorts = FrontPorts & Pick<BacklogPorts, 'log' | 'backlog'>;

/**
 * A copy that a person wants skipped, if its consumer gets it next: only such a one may be skipped.
 * Declined if it is another one, or if the bus cannot know.
 */
export const nextCopy = async (
  ports: SkipPorts,
  consumer: Connection,
  wanted: SkippedCopy,
): Promise<QueuedCopy | Declined> => {
  const unsent = await unsentTo(ports, consumer);
  const front = await queueFront(ports, consumer, unsent);
  if (front.unknown !== undefined) return notKnown(front.unknown);

  const next = front.copies.filter(({ isNext }) => isNext);
  const copy = { ...wanted, messageId: canonicalUuid(wanted.messageId) };
  // Of several, the last is the one that can be received now, if any can.
  return next.find(one => isSameCopy(copyOf(one), copy)) ?? notNext(wanted, next.at(-1));
};

/** A connection that has a queue. */
export const consumerAt = async (
  { connections }: { connections: Pick<Credentials, 'find'> },
  id: string,
): Promise<(Connection & { queue: string }) | Declined> => {
  const consumer = (await connections.find(id))?.connection;
  if (consumer?.queue === undefined) return declined(`There is no consumer connection ${id}.`);
  return { ...consumer, queue: consumer.queue };
};
