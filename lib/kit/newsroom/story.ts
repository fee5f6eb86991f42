import type { Payloads } from '../client/index.ts';
import { type Day, destinations, houseIds, instant, type LocalTime } from './day.ts';
import type { RoleName } from './roles.ts';

export type StorySnapshot = Payloads['story.context'];
type Members = Omit<
  StorySnapshot,
  'story_id' | 'story_type' | 'lifecycle' | 'sequence_number' | 'updated_at'
>;
export type Asset = NonNullable<StorySnapshot['assets']>[number];
type Phase = 'DEVELOPING' | 'BREAKING';

/** What one snapshot changes. Members and assets that it does not name stay as they were. */
interface Change {
  readonly time: LocalTime;
  readonly sequence: number;
  readonly note: string;
  readonly phase?: Phase;
  readonly type?: 'KILLED';
  readonly set?: Partial<Members>;
  /** Replaces the assets of the same id, and adds the others. */
  readonly assets?: readonly Asset[];
}

export interface Story {
  readonly name: string;
  readonly by: RoleName;
  readonly type: 'ACTIVE' | 'ORPHAN';
  readonly start: Members;
  readonly changes: readonly Change[];
}

/** What the texts of a story in `stories.json` can refer to. */
export const stageOf = (day: Day, name: string, time: LocalTime) => {
  const id = day.storyId(name);
  return {
    now: () => instant(day.at(time)),
    at: (when: string) => instant(day.at(when as LocalTime)), // as stories.json writes it
    asset: (asset: string) => houseIds.asset(id, asset),
    story: day.storyId,
    /** The link of an asset to the bulletin: graphics will derive the same. */
    link: (asset: string) =>
      houseIds.link(houseIds.correlation(id), houseIds.asset(id, asset), destinations.bulletin),
  };
};

type Stage = ReturnType<typeof stageOf>;

/** Fills in the texts that are references, such as `{now}` or `{asset clip}`. */
export const filled = <Template>(
  template: Template,
  stage: Readonly<Record<string, (name: string) => string>>,
): Template =>
  JSON.parse(JSON.stringify(template), (_name, value: unknown) => {
    const [, what = '', name = ''] = /^\{(\w+) ?(.*)\}$/.exec(String(value)) ?? [];
    return stage[what]?.(name) ?? value;
  });

export const coverageAsset = (storyId: string): Asset => ({
  asset_id: houseIds.asset(storyId, 'coverage'),
  asset_type: 'VIDEO',
  status: 'READY',
  produced_by: 'fennel-mam',
  media_refs: [{ locator: { store: 'fennel-mam', ref: `coverage/${storyId}` } }],
});

/** Replaces the assets of the same id, and adds the others. */
export const mergedAssets = (
  before: readonly Asset[],
  changed: readonly Asset[],
): readonly Asset[] => {
  const merged = new Map(before.map(asset => [asset.asset_id, asset]));
  for (const asset of changed) merged.set(asset.asset_id, asset);
  return [...merged.values()];
};

/** A story as its last change left it. */
export interface State {
  readonly members: Members;
  readonly phase?: {
    readonly phase: Phase;
    readonly phase_entered_at: string;
    readonly previous_phase?: Phase;
  };
}

export const nextState = (before: State, change: Change, stage: Stage): State => {
  const assets = mergedAssets(before.members.assets ?? [], filled(change.assets ?? [], stage));
  const members = {
    ...before.members,
    ...filled(change.set ?? {}, stage),
    ...(assets.length > 0 && { assets }),
  };
  const previous = before.phase ? { previous_phase: before.phase.phase } : {};
  const entered = { phase_entered_at: stage.now(), ...previous };
  const phase = change.phase ? { phase: change.phase, ...entered } : before.phase;
  return { members, ...(phase && { phase }) };
};

export const snapshotOf = (
  { day, story, change }: { day: Day; story: Story; change: Change },
  { members, phase }: State,
): StorySnapshot => {
  const common = {
    story_id: day.storyId(story.name),
    ...members,
    sequence_number: change.sequence,
    updated_at: instant(day.at(change.time)),
  };
  if (change.type === undefined && story.type === 'ACTIVE' && phase)
    return { ...common, story_type: 'ACTIVE', lifecycle: phase };
  return { ...common, story_type: change.type ?? 'ORPHAN' };
};
