import type { Basis } from '../contract/checks.ts';
import type { JsonObject } from '../json/value.ts';
import type { Case, Fixture, Need, Step } from './plan.ts';

/**
 * A warning that an executor has to send. In its texts `{values.x}` stands for a value of the instance and `{story}` for the case's
 * story_id, and a fixture's other names in braces mean here what they mean there.
 */
export interface ExpectedWarning {
  readonly slot: string;
  /** `configured`: as the instance says, else `flag`. */
  readonly severity: 'hold' | 'flag' | 'inform' | 'configured';
  /** The `link_id` of the usage entry that it is about; without one its scope is the story. */
  readonly link?: string;
  /** Paths that `affected_fields` has to have, where any index stands for `[]`; `some`: not empty; `none`: empty. */
  readonly fields: readonly string[] | 'some' | 'none';
  /** Texts that `detail` has to have. */
  readonly detail: readonly string[];
  /** Texts that `detail` must not have: they would say something else. */
  readonly lacks?: readonly string[];
  /** The path that cannot be read, which `detail` has to say. */
  readonly unreadable?: string;
  /** The one of several elements that it is about: its id, and its path. */
  readonly element?: { readonly id: string; readonly path: string };
  /** Texts that the entries of `blocks` have to have, for a hold. */
  readonly blocks?: readonly string[];
  /** It changes what was declared before, instead of opening a declaration: its ref may be the same. */
  readonly changes?: true;
}

/** What an executor has to answer to one step. */
export interface ExecutorExpectation {
  readonly warnings: readonly ExpectedWarning[];
  /** The trigger came before: silence, or the same bytes again. */
  readonly repeats?: true;
}

export type ExecutorCase = Case<ExecutorExpectation>;
type ExecutorStep = Step<ExecutorExpectation>;

const base: JsonObject = {
  slug: 'som-bus-test-run',
  headline: 'A story of a test run',
  story_type: 'ACTIVE',
  lifecycle: { phase: 'DEVELOPING', phase_entered_at: '{start}' },
};

/** A snapshot: the base, with other members. */
export const story = (changes: JsonObject = {}, envelope?: JsonObject): Fixture => ({
  messageType: 'story.context',
  payload: { ...base, ...changes },
  ...(envelope ? { envelope } : {}),
});

/** A snapshot that is not ACTIVE, and so has no lifecycle. */
export const inactiveStory = (story_type: string, changes: JsonObject = {}): Fixture => {
  const { lifecycle: _, ...rest } = base;
  return { messageType: 'story.context', payload: { ...rest, story_type, ...changes } };
};

/** Another headline: nothing that a skill looks at. */
export const otherHeadline: JsonObject = { headline: 'A story of a test run, told in other words' };

/** An asset of a story: READY, and no other has its id. */
export const asset = (name: string, more: JsonObject = {}): JsonObject => ({
  asset_id: `{story}.${name}`,
  asset_type: 'VIDEO',
  status: 'READY',
  evidential_position: 'PRIMARY',
  ...more,
});

export const play = (fixture: Fixture, ...warnings: readonly ExpectedWarning[]): ExecutorStep => ({
  action: { kind: 'play', fixtures: [fixture] },
  settles: { until: 'answers', count: warnings.length },
  expects: { warnings },
});

/** Publishes a message and keeps it back, so that a later one overtakes it. */
export const withhold = (fixture: Fixture): ExecutorStep => ({
  action: { kind: 'play', fixtures: [fixture], isWithheld: true },
  settles: { until: 'seconds', seconds: 0 },
  expects: { warnings: [] },
});

/** Delivers a withheld message, which is to be answered with nothing. */
export const late = (step: number): ExecutorStep => ({
  action: { kind: 'again', step },
  settles: { until: 'answers', count: 0 },
  expects: { warnings: [] },
});

/** Delivers the message of an earlier step once more. */
export const again = (step: number): ExecutorStep => ({
  action: { kind: 'again', step },
  settles: { until: 'answers', count: 0 },
  expects: { warnings: [], repeats: true },
});

/** A `telling.started`: it concerns no field that a skill of the cases looks at. */
export const tellingStarted: Fixture = {
  messageType: 'telling.started',
  payload: {
    message_type: 'telling.started',
    telling_id: '{uuid telling}',
    link_id: '{uuid link1}',
    exposure_start: '{start}',
  },
};

/** A warning of another executor about the case's story. */
export const foreignWarning: Fixture = {
  messageType: 'skill.warning.raised',
  payload: {
    warning_id: '{uuid foreign}',
    skill_id: 'som-bus/foreign-skill',
    skill_version: '1.0.0',
    story_id: '{story}',
    scope: 'story:{story}',
    severity: 'flag',
    rule_id: 'foreign-rule',
    non_overridable: false,
    affected_fields: ['headline'],
    detail: 'Another executor says something about this story.',
    blocks: [],
    skill_warning_ref: 'foreign-rule/{story}/1',
  },
};

/** What a case is about, besides its steps. */
interface Facts {
  readonly slots: readonly string[];
  readonly basis: Basis;
  readonly title: string;
}

const typesOf = (steps: readonly ExecutorStep[]): readonly string[] =>
  steps.flatMap(({ action }) =>
    action.kind === 'play' ? action.fixtures.map(({ messageType }) => messageType) : [],
  );

const needsOf = (slots: readonly string[], steps: readonly ExecutorStep[]): readonly Need[] => [
  ...[...new Set(typesOf(steps))].map(messageType => ({ kind: 'receives', messageType }) as const),
  { kind: 'sends', messageType: 'skill.warning.raised', isWanted: true },
  ...slots.map(slot => ({ kind: 'instance', slot }) as const),
];

/** Makes the cases of a skill. */
export const casesOf =
  (skill: string) =>
  (name: string, { slots, basis, title }: Facts, ...steps: readonly ExecutorStep[]): ExecutorCase => ({
    id: `${skill}/${name}`,
    title,
    basis,
    needs: needsOf(slots, steps),
    steps,
  });

/** A case of a skill that waits for SOM or the library. */
export const pendingCase = (
  skill: string,
  name: string,
  facts: { readonly title: string; readonly pending: string; readonly basis: Basis },
): ExecutorCase => ({ id: `${skill}/${name}`, needs: [], steps: [], ...facts });

/** The slots of a case. */
export const slotsOf = ({ needs }: Pick<ExecutorCase, 'needs'>): readonly string[] =>
  needs.flatMap(need => (need.kind === 'instance' ? [need.slot] : []));
