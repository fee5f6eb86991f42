import { textOf } from '../message/text-of.ts';
import type { StoryAsset, StoryState } from './story-state.ts';

const assetOf = (asset: unknown): StoryAsset => ({
  id: textOf(asset, 'asset_id'),
  type: textOf(asset, 'asset_type'),
});

/** A valid story.context payload as the sequence rules see it; its assets stand in the payload's order, all of them. */
export const snapshotOf = (payload: unknown): StoryState => {
  const story = payload !== null && typeof payload === 'object' ? payload : {};
  const assets: unknown = Reflect.get(story, 'assets');
  return {
    storyId: textOf(story, 'story_id'),
    sequenceNumber: Number(Reflect.get(story, 'sequence_number')),
    updatedAt: textOf(story, 'updated_at'),
    storyType: textOf(story, 'story_type'),
    members: Object.keys(story),
    assets: Array.isArray(assets) ? assets.map(assetOf) : [],
  };
};
