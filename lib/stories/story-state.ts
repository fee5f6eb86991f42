import { integerOf } from '../json/exact-numbers.ts';
import { isJsonObject, textOf } from '../json/value.ts';

export interface StoryAsset {
  readonly id: string;
  /** The asset_type it was first seen with. */
  readonly type: string;
}

/**
 * What the ledger remembers of a story's last accepted snapshot: all that the sequence rules compare. It comes from that one
 * message, so it is no larger than the message (240,000 bytes) plus about 15 bytes for each asset. No snapshot may drop an
 * asset, so these are all the assets that the story ever had.
 */
export interface StoryState {
  readonly storyId: string;
  readonly sequenceNumber: bigint;
  /** RFC 3339, as the producer wrote it. */
  readonly updatedAt: string;
  readonly storyType: string;
  readonly members: readonly string[];
  readonly assets: readonly StoryAsset[];
}

const assetOf = (asset: unknown): StoryAsset => ({
  id: textOf(asset, 'asset_id'),
  type: textOf(asset, 'asset_type'),
});

/**
 * A valid story.context payload as the sequence rules see it, with all assets in the payload's order.
 *
 * @param sequenceNumber with all its digits, if a double cannot hold it
 */
export const snapshotOf = (payload: unknown, sequenceNumber?: string): StoryState => {
  const story = payload !== null && typeof payload === 'object' ? payload : {};
  const assets: unknown = Reflect.get(story, 'assets');
  return {
    storyId: textOf(story, 'story_id'),
    sequenceNumber: integerOf(sequenceNumber ?? Number(Reflect.get(story, 'sequence_number'))) ?? 0n,
    updatedAt: textOf(story, 'updated_at'),
    storyType: textOf(story, 'story_type'),
    members: Object.keys(story),
    assets: Array.isArray(assets) ? assets.map(assetOf) : [],
  };
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(entry => typeof entry === 'string');

const isAssets = (value: unknown): value is readonly StoryAsset[] =>
  Array.isArray(value) && value.every(entry => isJsonObject(entry) && isTexts([entry['id'], entry['type']]));

/** A state as JSON text. The sequence number is a string in it: JSON numbers are read as doubles. */
export const storyStateText = (state: StoryState): string =>
  JSON.stringify({ ...state, sequenceNumber: `${state.sequenceNumber}` });

const integer = /^\d+$/;

/** Reads a stored state; undefined when the text is not one. Unknown members are ignored. */
export const parseStoryState = (text: string): StoryState | undefined => {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) return undefined;
  const { storyId, sequenceNumber, updatedAt, storyType, members, assets } = value;
  const complete =
    typeof storyId === 'string' &&
    typeof sequenceNumber === 'string' &&
    integer.test(sequenceNumber) &&
    typeof updatedAt === 'string' &&
    typeof storyType === 'string' &&
    isTexts(members) &&
    isAssets(assets);
  if (!complete) return undefined;
  return { storyId, sequenceNumber: BigInt(sequenceNumber), updatedAt, storyType, members, assets };
};
