import { changed, type Declined, declined } from '../../access/registry/declined.ts';
import type { Clock } from '../../contract/outside.ts';
import { shorten } from '../../platform/json/value.ts';
import type { Acceptances, KnownStory, Stories } from './log.ts';

/** The last snapshot of a story, for the person who decides whether the bus forgets it. */
export interface LastSnapshot {
  /** Goes up with each snapshot, and when the story is started over. */
  readonly version: number;
  /** As its producer wrote it, as both are; of a very long one the beginning. */
  readonly sequenceNumber: string;
  readonly updatedAt: string;
}

/** Undefined after a story was started over, until the next snapshot. */
export const lastSnapshotOf = ({ state, version }: KnownStory): LastSnapshot | undefined =>
  state && {
    version,
    sequenceNumber: shorten(`${state.sequenceNumber}`),
    updatedAt: shorten(state.updatedAt),
  };

export const nothingRemembered = (storyId: string): Declined =>
  declined(
    `The bus remembers no snapshot of the story "${shorten(storyId)}" in this workspace: the ` +
      'next one is its first already.',
  );

const movedOn = (storyId: string, { sequenceNumber }: LastSnapshot): Declined =>
  changed(
    `Nothing was forgotten: the last snapshot of the story "${shorten(storyId)}" is another ` +
      `one now, with the sequence_number ${sequenceNumber}.`,
  );

interface StartOverPorts {
  readonly clock: Clock;
  readonly stories: Stories;
  readonly acceptances: Pick<Acceptances, 'storyOf'>;
}

/**
 * Forgets the last snapshot of a story if it is still the one that the person has seen.
 *
 * @returns epoch milliseconds: when the story was started over
 */
export const startStoryOver = async (
  { clock, stories, acceptances }: StartOverPorts,
  of: { workspace: string; storyId: string; version: number },
): Promise<number | Declined> => {
  const { workspace, storyId, version } = of;
  const now = clock.now();
  if (await stories.startOver(workspace, storyId, { version, now })) return now;
  const known = await acceptances.storyOf(workspace, storyId);
  const last = known && lastSnapshotOf(known);
  if (last) return movedOn(storyId, last);
  return nothingRemembered(storyId);
};
