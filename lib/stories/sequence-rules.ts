import { limits } from '../contract/limits.ts';
import { type Violation, violation } from '../contract/refusals.ts';
import { compareInstants, readInstant } from '../json/formats.ts';
import { quoteValue, shorten } from '../json/value.ts';
import type { StoryAsset, StoryState } from './story-state.ts';

const terminal: ReadonlySet<string> = new Set(['KILLED', 'SPIKED', 'ARCHIVED']);

type SequenceRule = (last: StoryState, next: StoryState) => readonly Violation[];

const someOf = (names: readonly string[]): string => {
  const shown = names.slice(0, 5).map(name => quoteValue(name));
  return names.length > shown.length
    ? `${shown.join(', ')} and ${names.length - shown.length} more`
    : shown.join(', ');
};

const digits = ({ sequenceNumber }: StoryState): string => shorten(`${sequenceNumber}`);

const sequenceNumber: SequenceRule = (last, next) =>
  next.sequenceNumber > last.sequenceNumber
    ? []
    : [
        violation(
          'sequence_number.not_increasing',
          `Found ${digits(next)}; the last accepted snapshot has ${digits(last)}. Send a greater number.`,
          '/payload/sequence_number',
        ),
      ];

const updatedAt: SequenceRule = (last, next) => {
  const [before, after] = [readInstant(last.updatedAt), readInstant(next.updatedAt)];
  if (before === undefined || after === undefined || compareInstants(after, before) >= 0) return [];
  const words = `Found ${shorten(next.updatedAt)}; the last accepted snapshot has ${shorten(last.updatedAt)}. Send the same time or a later one.`;
  return [violation('updated_at.backwards', words, '/payload/updated_at')];
};

const members: SequenceRule = (last, next) => {
  const present = new Set(next.members);
  // SOM forbids lifecycle outside ACTIVE: a story that leaves ACTIVE must drop it.
  const mayGo = (name: string): boolean => name === 'lifecycle' && next.storyType !== 'ACTIVE';
  const missing = last.members.filter(name => !present.has(name) && !mayGo(name));
  if (missing.length === 0) return [];
  const words = `Missing ${someOf(missing)}, which the last accepted snapshot has: every snapshot must be complete.`;
  return [violation('snapshot.members_missing', words, '/payload')];
};

const assetsKept: SequenceRule = (last, next) => {
  const missing = missingAssets(last.assets, next.assets);
  if (missing.length === 0) return [];
  const words = `Missing ${someOf(missing)}, which the last accepted snapshot has: keep an asset that is no longer used, as INVALIDATED.`;
  return [violation('snapshot.assets_dropped', words, '/payload/assets')];
};

const missingAssets = (last: readonly StoryAsset[], next: readonly StoryAsset[]): readonly string[] => {
  // Nearly every snapshot keeps the assets where they were and adds to the end.
  if (last.every(({ id }, i) => next[i]?.id === id)) return [];
  const present = new Set(next.map(({ id }) => id));
  return last.filter(({ id }) => !present.has(id)).map(({ id }) => id);
};

const assetTypes: SequenceRule = (last, next) => {
  // Nearly every snapshot keeps the assets as they were and adds to the end.
  const isKept = last.assets.every(
    ({ id, type }, i) => next.assets[i]?.id === id && next.assets[i]?.type === type,
  );
  if (isKept && next.assets.length === last.assets.length) return [];
  const known = new Map(last.assets.map(({ id, type }) => [id, type]));
  return next.assets.flatMap(({ id, type }) => {
    const first = known.get(id);
    if (first === undefined || first === type) return [];
    const words = `Found ${quoteValue(type)}; the asset ${quoteValue(id)} was first sent as ${quoteValue(first)}, and its type must not change.`;
    return [violation('asset.type_changed', words, '/payload/assets')];
  });
};

const storyType: SequenceRule = (last, next) => {
  if (!terminal.has(last.storyType) || terminal.has(next.storyType)) return [];
  const words = `Found ${quoteValue(next.storyType)}; the story is ${last.storyType} and may only change to KILLED, SPIKED or ARCHIVED.`;
  return [violation('story_type.left_terminal', words, '/payload/story_type')];
};

const sequenceRules: readonly SequenceRule[] = [
  sequenceNumber,
  updatedAt,
  members,
  assetsKept,
  storyType,
  assetTypes,
];

const gap: SequenceRule = (last, next) =>
  next.sequenceNumber - last.sequenceNumber > 1n
    ? [
        violation(
          'sequence_number.gap',
          `Found ${digits(next)} after ${digits(last)}; the snapshots between were not accepted.`,
          '/payload/sequence_number',
        ),
      ]
    : [];

const firstOfEach = (assets: readonly StoryAsset[]): readonly StoryAsset[] => {
  if (new Set(assets.map(({ id }) => id)).size === assets.length) return assets;
  const seen = new Map<string, StoryAsset>();
  for (const asset of assets) if (!seen.has(asset.id)) seen.set(asset.id, asset);
  return [...seen.values()];
};

/** Checks a snapshot against the last accepted one (undefined: it is the first). `state` is what to store. */
export const follow = (
  last: StoryState | undefined,
  next: StoryState,
): { refused: readonly Violation[]; tolerated: readonly Violation[]; state: StoryState } => {
  const state = { ...next, assets: firstOfEach(next.assets) };
  if (last === undefined) return { refused: [], tolerated: [], state };
  const refused = sequenceRules.flatMap(rule => rule(last, next)).slice(0, limits.violationsReported);
  return { refused, tolerated: gap(last, next), state };
};
