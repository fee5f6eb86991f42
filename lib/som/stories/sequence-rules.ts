import { limits } from '../../contract/limits.ts';
import { ruleOf, type Violation, violation } from '../../contract/refusals.ts';
import { integerOf } from '../../platform/json/canonical-form.ts';
import { compareInstants, readInstant } from '../../platform/json/formats.ts';
import {
  isJsonObject,
  type JsonObject,
  quoteValue,
  shorten,
  textOf,
} from '../../platform/json/value.ts';

interface StoryAsset {
  readonly id: string;
  readonly type: string;
}

interface StoryReview {
  /** The assertion that is reviewed. */
  readonly id: string;
  /** Empty if nobody has reviewed it. */
  readonly state: string;
}

/**
 * What the ledger remembers of a story's last accepted snapshot: all that the sequence rules
 * compare. It comes from that one message, so it is no larger than the message (240,000 bytes) plus
 * about 15 bytes for each asset and assertion. No snapshot may drop an asset, so these are all the
 * assets that the story ever had.
 */
export interface StoryState {
  readonly storyId: string;
  readonly sequenceNumber: bigint;
  /** RFC 3339, as the producer wrote it. */
  readonly updatedAt: string;
  readonly storyType: string;
  readonly members: readonly string[];
  readonly assets: readonly StoryAsset[];
  /** One for each assertion, in the payload's order. */
  readonly reviews: readonly StoryReview[];
}

const assetOf = (asset: unknown): StoryAsset => ({
  id: textOf(asset, 'asset_id'),
  type: textOf(asset, 'asset_type'),
});

const reviewOf = (assertion: unknown): StoryReview => ({
  id: textOf(assertion, 'assertion_id'),
  state: textOf(isJsonObject(assertion) ? assertion['review'] : undefined, 'state'),
});

const listIn = (value: object, name: string): readonly unknown[] => {
  const list: unknown = Reflect.get(value, name);
  return Array.isArray(list) ? list : [];
};

/**
 * A valid story.context payload as the sequence rules see it, with all assets in the payload's
 * order.
 *
 * @param sequenceNumber with all its digits, if a double cannot hold it
 */
export const storyStateOf = (payload: unknown, sequenceNumber?: string): StoryState => {
  const story = payload !== null && typeof payload === 'object' ? payload : {};
  return {
    storyId: textOf(story, 'story_id'),
    sequenceNumber:
      integerOf(sequenceNumber ?? Number(Reflect.get(story, 'sequence_number'))) ?? 0n,
    updatedAt: textOf(story, 'updated_at'),
    storyType: textOf(story, 'story_type'),
    members: Object.keys(story),
    assets: listIn(story, 'assets').map(assetOf),
    reviews: listIn(story, 'assertions').map(reviewOf),
  };
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(entry => typeof entry === 'string');

const isAssets = (value: unknown): value is readonly StoryAsset[] =>
  Array.isArray(value) &&
  value.every(entry => isJsonObject(entry) && isTexts([entry['id'], entry['type']]));

const isReviews = (value: unknown): value is readonly StoryReview[] =>
  Array.isArray(value) &&
  value.every(entry => isJsonObject(entry) && isTexts([entry['id'], entry['state']]));

/**
 * A state as JSON text. The sequence number is a string in it: JSON numbers are read as doubles.
 */
export const storyStateText = (state: StoryState): string =>
  JSON.stringify({ ...state, sequenceNumber: `${state.sequenceNumber}` });

const integer = /^\d+$/;

/** Reads a stored state; undefined when the text is not one. Unknown members are ignored. */
export const parseStoryState = (text: string): StoryState | undefined => {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) return undefined;

  const { storyId, sequenceNumber, updatedAt, storyType, members, assets } = value;
  // A state that an older version wrote has no reviews: nothing is told of the next snapshot's.
  const { reviews = [] } = value;
  const isComplete =
    typeof storyId === 'string' &&
    typeof sequenceNumber === 'string' &&
    integer.test(sequenceNumber) &&
    typeof updatedAt === 'string' &&
    typeof storyType === 'string' &&
    isTexts(members) &&
    isAssets(assets) &&
    isReviews(reviews);
  if (!isComplete) return undefined;

  return {
    storyId,
    sequenceNumber: BigInt(sequenceNumber),
    updatedAt,
    storyType,
    members,
    assets,
    reviews,
  };
};

const terminal: ReadonlySet<string> = new Set(['KILLED', 'SPIKED', 'ARCHIVED']);

type SequenceRule = (last: StoryState, next: StoryState) => readonly Violation[];

const someOf = (names: readonly string[]): string => {
  const shown = names.slice(0, 5).map(name => quoteValue(name));
  if (names.length > shown.length)
    return `${shown.join(', ')} and ${names.length - shown.length} more`;
  return shown.join(', ');
};

const digits = ({ sequenceNumber }: StoryState): string => shorten(`${sequenceNumber}`);

const sequenceNumber: SequenceRule = (last, next) => {
  if (next.sequenceNumber > last.sequenceNumber) return [];
  return [
    violation(
      'sequence_number.not_increasing',
      `Found ${digits(next)}; the last accepted snapshot has ${digits(last)}. Send a greater number.`,
      '/payload/sequence_number',
    ),
  ];
};

const updatedAt: SequenceRule = (last, next) => {
  const before = readInstant(last.updatedAt);
  const after = readInstant(next.updatedAt);
  if (before === undefined || after === undefined || compareInstants(after, before) >= 0) return [];
  const words =
    `Found ${shorten(next.updatedAt)}; the last accepted snapshot has ` +
    `${shorten(last.updatedAt)}. Send the same time or a later one.`;
  return [violation('updated_at.backwards', words, '/payload/updated_at')];
};

const members: SequenceRule = (last, next) => {
  const present = new Set(next.members);
  // SOM forbids lifecycle outside ACTIVE: a story that leaves ACTIVE must drop it.
  const mayGo = (name: string): boolean => name === 'lifecycle' && next.storyType !== 'ACTIVE';
  const missing = last.members.filter(name => !present.has(name) && !mayGo(name));
  if (missing.length === 0) return [];
  const words =
    `Missing ${someOf(missing)}, which the last accepted snapshot has: every snapshot must be ` +
    'complete.';
  return [violation('snapshot.members_missing', words, '/payload')];
};

const missingAssets = (
  last: readonly StoryAsset[],
  next: readonly StoryAsset[],
): readonly string[] => {
  // Nearly every snapshot keeps the assets where they were and adds to the end.
  if (last.every(({ id }, i) => next[i]?.id === id)) return [];
  const present = new Set(next.map(({ id }) => id));
  return last.filter(({ id }) => !present.has(id)).map(({ id }) => id);
};

const assetsKept: SequenceRule = (last, next) => {
  const missing = missingAssets(last.assets, next.assets);
  if (missing.length === 0) return [];
  const words =
    `Missing ${someOf(missing)}, which the last accepted snapshot has: keep an asset that is no ` +
    'longer used, as INVALIDATED.';
  return [violation('snapshot.assets_dropped', words, '/payload/assets')];
};

const typeChanged = (before: string, type: string): Violation =>
  violation(
    'asset.type_changed',
    `Found ${quoteValue(type)}; ${before}, and its type must not change.`,
    '/payload/assets',
  );

/** Assets that the last snapshot has with another type. */
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
    const before = `the asset ${quoteValue(id)} was first sent as ${quoteValue(first)}`;
    return [typeChanged(before, type)];
  });
};

/** New assets that one snapshot lists with two types: of known ones, `assetTypes` tells. */
const twoTypes = (last: StoryState | undefined, { assets }: StoryState): readonly Violation[] => {
  if (new Set(assets.map(({ id }) => id)).size === assets.length) return [];

  const known = new Set(last?.assets.map(({ id }) => id));
  const firstTypes = new Map<string, string>();
  return assets.flatMap(({ id, type }) => {
    const first = firstTypes.get(id) ?? type;
    firstTypes.set(id, first);
    if (first === type || known.has(id)) return [];
    const before = `the same snapshot lists the asset ${quoteValue(id)} as ${quoteValue(first)}`;
    return [typeChanged(before, type)];
  });
};

const storyType: SequenceRule = (last, next) => {
  if (!terminal.has(last.storyType) || terminal.has(next.storyType)) return [];
  const words =
    `Found ${quoteValue(next.storyType)}; the story is ${last.storyType} and may only change to ` +
    'KILLED, SPIKED or ARCHIVED.';
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

const gap: SequenceRule = (last, next) => {
  if (next.sequenceNumber - last.sequenceNumber > 1n)
    return [
      violation(
        'sequence_number.gap',
        `Found ${digits(next)} after ${digits(last)}; the snapshots between were not accepted.`,
        '/payload/sequence_number',
      ),
    ];
  return [];
};

const settled: ReadonlySet<string> = new Set(['CONFIRMED', 'REJECTED']);

/** Of several assertions with one id, the last that was reviewed counts. */
const statesOf = (reviews: readonly StoryReview[]): ReadonlyMap<string, string> =>
  new Map(reviews.filter(({ state }) => state !== '').map(({ id, state }) => [id, state]));

/** Reviews that were settled, and are pending again. */
const reviewsReopened: SequenceRule = (last, next) => {
  const before = statesOf(last.reviews);
  const after = statesOf(next.reviews);
  return next.reviews.flatMap(({ id, state }, index) => {
    const was = before.get(id);
    const isReopened = state === 'PENDING' && after.get(id) === state;
    if (!isReopened || was === undefined || !settled.has(was)) return [];
    const words = `The review of ${quoteValue(id)} was ${was} and is PENDING again.`;
    const path = `/payload/assertions/${index}/review/state`;
    return [violation('assertion.review_reopened', words, path)];
  });
};

/** What is told of a snapshot beside the last one, and refuses nothing. */
const toldRules: readonly SequenceRule[] = [gap, reviewsReopened];

/** References to sources that the snapshot does not list. */
const sourcesUnresolved = (story: JsonObject): readonly Violation[] => {
  const listed = new Set(listIn(story, 'editorial_source').map(one => textOf(one, 'source_id')));
  return listIn(story, 'content_refs').flatMap((reference, index) => {
    const id = textOf(reference, 'source_id');
    if (id === '' || listed.has(id)) return [];
    const words = `Found ${quoteValue(id)}; editorial_source lists no such source_id.`;
    const path = `/payload/content_refs/${index}/source_id`;
    return [violation('content_refs.source_unresolved', words, path)];
  });
};

/** Sources that came in after the snapshot was made. */
const receivedAfterUpdate = (story: JsonObject): readonly Violation[] => {
  const updated = textOf(story, 'updated_at');
  const updatedInstant = readInstant(updated);
  if (updatedInstant === undefined) return [];
  return listIn(story, 'editorial_source').flatMap((source, index) => {
    const received = textOf(source, 'received_at');
    const receivedInstant = readInstant(received);
    if (receivedInstant === undefined) return [];
    if (compareInstants(receivedInstant, updatedInstant) <= 0) return [];
    const words = `Found ${shorten(received)}; the snapshot was updated at ${shorten(updated)}.`;
    const path = `/payload/editorial_source/${index}/received_at`;
    return [violation('editorial_source.received_after_update', words, path)];
  });
};

/**
 * What is told of a valid story.context payload by itself, and refuses nothing: the standard's own
 * tool for sequences calls it an error (`tools/validate_sequence.py`).
 */
export const toldOfSnapshot = (payload: unknown): readonly Violation[] => {
  if (isJsonObject(payload))
    return [...sourcesUnresolved(payload), ...receivedAfterUpdate(payload)];
  return [];
};

const firstOfEach = (assets: readonly StoryAsset[]): readonly StoryAsset[] => {
  if (new Set(assets.map(({ id }) => id)).size === assets.length) return assets;
  const seen = new Map<string, StoryAsset>();
  for (const asset of assets) if (!seen.has(asset.id)) seen.set(asset.id, asset);
  return [...seen.values()];
};

/** The rules and their pointers, without what the texts tell of the last snapshot. */
const withoutValues = (violations: readonly Violation[]): readonly Violation[] => {
  const plain = violations.map(one => ({ ...one, message: ruleOf(one.rule).meaning }));
  return [...new Map(plain.map(one => [`${one.rule} ${one.path}`, one])).values()];
};

/**
 * Checks a snapshot against the last accepted one (undefined: it is the first). `state` is what to
 * store.
 *
 * @param facts `readsLast`: whether the sender may read the last one. Others are told the rules
 * that they broke, and no values
 */
export const follow = (
  last: StoryState | undefined,
  next: StoryState,
  { readsLast }: { readsLast: boolean },
): { refused: readonly Violation[]; tolerated: readonly Violation[]; state: StoryState } => {
  const state = { ...next, assets: firstOfEach(next.assets) };
  const own = twoTypes(last, next);
  if (last === undefined)
    return { refused: own.slice(0, limits.violationsReported), tolerated: [], state };

  const told = (violations: readonly Violation[]) =>
    readsLast ? violations : withoutValues(violations);
  const broken = told(sequenceRules.flatMap(rule => rule(last, next)));
  const refused = [...broken, ...own].slice(0, limits.violationsReported);
  const tolerated = told(toldRules.flatMap(rule => rule(last, next)));
  return { refused, tolerated, state };
};
