import { type Basis, checkedLibrary } from '../contract/checks.ts';
import { executorFile } from '../generated/check-cases.generated.ts';
import type { JsonObject } from '../json/value.ts';
import type { ConfiguredInstance } from '../skills/registrations.ts';
import { fixtureOf, type WrittenFixture } from './fixture.ts';
import type { Case, Need, Plan, Step } from './plan.ts';

/** `checks/executor.yaml`: the cases for skill executors as they are written; `checks/executor.schema.json` describes the members. */
export interface ExecutorFile {
  readonly snapshot: JsonObject;
  readonly skills: Readonly<Record<string, WrittenSkill>>;
  /** The cases that nobody can play yet, by what they wait for. */
  readonly pending: readonly {
    readonly reason: string;
    readonly basis: Basis;
    readonly cases: Readonly<Record<string, string>>;
  }[];
}

export interface WrittenSkill {
  readonly slots: Readonly<Record<string, Pick<Slot, 'values' | 'deciding'>>>;
  readonly cases: Readonly<Record<string, WrittenCase>>;
}

export interface WrittenCase {
  readonly title: string;
  readonly basis: Basis;
  readonly slots: readonly string[];
  /** It is played only in a run that says `binds: first-seen`; what it waits for in others. */
  readonly unless_bound?: string;
  readonly steps: readonly WrittenStep[];
}

export interface WrittenStep extends WrittenFixture {
  /** It is kept back, so that a later one overtakes it. */
  readonly withheld?: boolean;
  readonly again?: number;
  readonly warnings?: readonly ExpectedWarning[];
}

export interface Slot {
  readonly id: string;
  /** Without `smart-stories/`. */
  readonly skill: string;
  readonly values: JsonObject;
  /** An instance that is there already fits if it has the same of these. The rest is taken from it. */
  readonly deciding: readonly string[];
}

/** A warning that an executor has to send. In its texts `{values.x}` stands for a value of the instance and `{story}` for the story_id. */
export interface ExpectedWarning {
  readonly slot: string;
  /** `configured`: as the instance says, else `flag`. */
  readonly severity: 'hold' | 'flag' | 'inform' | 'configured';
  readonly link?: string;
  /** Paths that `affected_fields` has to have, where any index stands for `[]`; `some`: not empty; `none`: empty. */
  readonly fields: readonly string[] | 'some' | 'none';
  readonly detail: readonly string[];
  /** Texts that `detail` must not have: they would say something else. */
  readonly lacks?: readonly string[];
  /** The path that cannot be read, which `detail` has to say. */
  readonly unreadable?: string;
  readonly element?: { readonly id: string; readonly path: string };
  readonly blocks?: readonly string[];
  /** It changes what was declared before, instead of opening a declaration: its ref may be the same. */
  readonly changes?: boolean;
}

export interface ExecutorExpectation {
  readonly warnings: readonly ExpectedWarning[];
  /** The trigger came before: silence, or the same bytes again. */
  readonly repeats?: true;
}

export type ExecutorCase = Case<ExecutorExpectation>;

export const slotsOf = ({ needs }: Pick<ExecutorCase, 'needs'>): readonly string[] =>
  needs.flatMap(need => (need.kind === 'instance' ? [need.slot] : []));

export const executorSkills: readonly string[] = Object.keys(executorFile.skills);

export const slots: readonly Slot[] = Object.entries(executorFile.skills).flatMap(([skill, written]) =>
  Object.entries(written.slots).map(([id, values]) => ({ id, skill, ...values })),
);

type ExecutorStep = Step<ExecutorExpectation>;

const stepOf = (written: WrittenStep, all: readonly WrittenStep[]): ExecutorStep => {
  const { again, withheld, warnings = [] } = written;
  const settles = { until: 'reactions', count: warnings.length } as const;
  if (again !== undefined) {
    const isFirstTime = all[again - 1]?.withheld;
    return {
      action: { kind: 'again', step: again - 1 },
      settles,
      expects: { warnings, ...(isFirstTime ? {} : { repeats: true }) },
    };
  }
  return {
    action: { kind: 'play', fixtures: [fixtureOf(written)], ...(withheld ? { isWithheld: true } : {}) },
    settles: withheld ? { until: 'seconds', seconds: 0 } : settles,
    expects: { warnings },
  };
};

const needsOf = (slotIds: readonly string[], steps: readonly ExecutorStep[]): readonly Need[] => {
  const types = steps.flatMap(({ action }) =>
    action.kind === 'play' ? action.fixtures.map(({ messageType }) => messageType) : [],
  );
  return [
    ...[...new Set(types)].map(messageType => ({ kind: 'receives', messageType }) as const),
    { kind: 'sends', messageType: 'skill.warning.raised', isWanted: true },
    ...slotIds.map(slot => ({ kind: 'instance', slot }) as const),
  ];
};

export interface ExecutorOptions {
  /** An asset's copy of a field is the value that its story had when the asset first appeared. */
  readonly bindsFirstSeen?: boolean;
}

const caseOf = (
  id: string,
  { title, basis, unless_bound: pending, slots: slotIds, steps: written }: WrittenCase,
  { bindsFirstSeen = false }: ExecutorOptions,
): ExecutorCase => {
  if (pending !== undefined && !bindsFirstSeen) return { id, title, basis, pending, needs: [], steps: [] };
  const steps = written.map(step => stepOf(step, written));
  return { id, title, basis, needs: needsOf(slotIds, steps), steps };
};

const pendingCases: readonly ExecutorCase[] = executorFile.pending.flatMap(({ reason, basis, cases }) =>
  Object.entries(cases).map(([id, title]) => ({ id, title, basis, pending: reason, needs: [], steps: [] })),
);

export const executorPlan = (options: ExecutorOptions = {}): Plan<ExecutorExpectation> => ({
  kind: 'executor',
  cases: Object.entries(executorFile.skills).flatMap(([skill, { cases }]) => [
    ...Object.entries(cases).map(([name, one]) => caseOf(`${skill}/${name}`, one, options)),
    ...pendingCases.filter(({ id }) => id.startsWith(`${skill}/`)),
  ]),
});

export const slotsFor = (cases: readonly ExecutorCase[]): readonly Slot[] => {
  const ids = new Set(cases.flatMap(slotsOf));
  return slots.filter(({ id }) => ids.has(id));
};

const authorityScale = ['legal', 'duty-editor', 'desk-editor'] as const;

export const skillIdOf = (skill: string): string => `smart-stories/${skill}`;

export const instanceOf = ({ id, skill, values }: Slot): ConfiguredInstance => ({
  skill_id: skillIdOf(skill),
  skill_version: checkedLibrary,
  instance_label: `test-${id.toLowerCase()}`,
  values,
  authority_scale: authorityScale,
});

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? '';

const defaults: JsonObject = { record_permits: false };

const decisionOf = (values: JsonObject, name: string): string => sorted(values[name] ?? defaults[name]);

export const fittingInstance = (
  { skill, values, deciding }: Slot,
  instances: readonly ConfiguredInstance[],
): ConfiguredInstance | undefined =>
  instances.find(
    one =>
      one.skill_id === skillIdOf(skill) &&
      one.skill_version === checkedLibrary &&
      deciding.every(name => decisionOf(one.values, name) === decisionOf(values, name)),
  );
