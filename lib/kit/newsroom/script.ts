import type { MessageOf } from '../client/index.ts';
import { type Day, derivedId, houseIds, instant } from './day.ts';
import { type RoleName, systemOf } from './roles.ts';
import table from './stories.json';
import {
  coverageAsset,
  filled,
  mergedAssets,
  nextState,
  type State,
  type Story,
  type StorySnapshot,
  snapshotOf,
  stageOf,
} from './story.ts';

const stories = table as unknown as readonly Story[]; // the compiler widens the texts of JSON

export interface Beat {
  readonly by: RoleName;
  readonly story: string;
  readonly note: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly message: MessageOf<'story.context'>;
}

const messageOf = (by: RoleName, payload: StorySnapshot): Beat['message'] => ({
  som_version: '1.0.0',
  message_id: derivedId('beat', payload.story_id, String(payload.sequence_number)),
  correlation_id: houseIds.correlation(payload.story_id),
  message_type: 'story.context',
  timestamp: instant(Date.parse(payload.updated_at)),
  originating_system: systemOf(by),
  topic: 'som.story.context',
  payload,
});

const covered = (state: State, storyId: string): State => {
  const assets = mergedAssets(state.members.assets ?? [], [coverageAsset(storyId)]);
  return { ...state, members: { ...state.members, assets } };
};

const beatsOf = (day: Day, story: Story): readonly Beat[] => {
  const { name, by, changes } = story;
  let state: State = {
    members: filled(story.start, stageOf(day, name, changes[0]?.time ?? '06:00')),
  };
  return changes.map(change => {
    state = nextState(state, change, stageOf(day, name, change.time));
    const message = messageOf(by, snapshotOf({ day, story, change }, state));
    if (by === 'ncs') state = covered(state, message.payload.story_id);
    return { by, story: name, note: change.note, at: day.at(change.time), message };
  });
};

export const script = (day: Day): readonly Beat[] =>
  stories.flatMap(story => beatsOf(day, story)).sort((one, other) => one.at - other.at);

/**
 * The first snapshot of a story of ncs once more, with what was delivered for it; undefined for
 * other stories.
 */
export const withCoverage = (
  beats: readonly Beat[],
  correlation: string,
): StorySnapshot | undefined => {
  const first = beats.find(
    ({ by, message }) => by === 'ncs' && message.correlation_id === correlation,
  );
  if (first === undefined) return undefined;
  const { payload } = first.message;
  return {
    ...payload,
    assets: mergedAssets(payload.assets ?? [], [coverageAsset(payload.story_id)]),
    sequence_number: payload.sequence_number + 1,
    updated_at: instant(first.at + 60_000),
  };
};
