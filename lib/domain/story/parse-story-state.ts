import type { StoryState } from './story-state.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(entry => typeof entry === 'string');

const isTextMap = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && isTexts(Object.values(value));

/** A story's state as the ledger stored it; undefined when the text is none. Unknown members are a later version's. */
export const parseStoryState = (text: string): StoryState | undefined => {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) return undefined;
  const { storyId, sequenceNumber, updatedAt, storyType, members, assetTypes, assets } = value;
  const complete =
    typeof storyId === 'string' &&
    typeof sequenceNumber === 'number' &&
    typeof updatedAt === 'string' &&
    typeof storyType === 'string' &&
    isTexts(members) &&
    isTextMap(assetTypes) &&
    isTexts(assets);
  return complete
    ? { storyId, sequenceNumber, updatedAt, storyType, members, assetTypes, assets }
    : undefined;
};
