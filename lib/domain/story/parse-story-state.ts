import { isJsonObject } from '../message/json-object.ts';
import type { StoryAsset, StoryState } from './story-state.ts';

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(entry => typeof entry === 'string');

const isAssets = (value: unknown): value is readonly StoryAsset[] =>
  Array.isArray(value) && value.every(entry => isJsonObject(entry) && isTexts([entry['id'], entry['type']]));

/** A story's state as the ledger stored it; undefined when the text is none. Unknown members are a later version's. */
export const parseStoryState = (text: string): StoryState | undefined => {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) return undefined;
  const { storyId, sequenceNumber, updatedAt, storyType, members, assets } = value;
  const complete =
    typeof storyId === 'string' &&
    typeof sequenceNumber === 'number' &&
    typeof updatedAt === 'string' &&
    typeof storyType === 'string' &&
    isTexts(members) &&
    isAssets(assets);
  return complete ? { storyId, sequenceNumber, updatedAt, storyType, members, assets } : undefined;
};
