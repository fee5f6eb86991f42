import { linkCommitted, storyContext } from '../support/messages.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

export const workspace = 'w222222222222';

const uuid = (random: Random): string => {
  const hex = Buffer.from(random.bytes(16)).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
};

/** One message that a producer wants to send. */
export interface Draft {
  readonly messageId: string;
  readonly correlationId: string;
  readonly body: Buffer;
}

export const correlationOf = (index: number): string =>
  `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/**
 * The next snapshot of a correlation's story, numbered by a producer whose view is a little old.
 */
const snapshot = (world: World, index: number): Readonly<Record<string, unknown>> => {
  const { random } = world.scheduler;
  const storyId = `story-${index}`;
  const last = Number(world.ledger.story({ workspace, storyId })?.state.sequenceNumber ?? 0);
  const sequence_number = Math.max(1, last + random.pick([1, 1, 1, 2, 0]));
  const minute = String(sequence_number % 60).padStart(2, '0');
  return { story_id: storyId, sequence_number, updated_at: `2026-05-04T09:${minute}:00Z` };
};

/** A link or a snapshot, with unusual white space so that changed bytes are noticed. */
export const draftOf = (world: World, index: number, snapshots = 0.5): Draft => {
  const { random } = world.scheduler;
  const members = { message_id: uuid(random), correlation_id: correlationOf(index) };
  const message = random.chance(snapshots)
    ? storyContext(snapshot(world, index), members)
    : linkCommitted({ ...members });
  const body = Buffer.from(JSON.stringify(message, null, random.below(4)));
  return { messageId: members.message_id, correlationId: members.correlation_id, body };
};
