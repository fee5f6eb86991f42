import { checkedLibrary } from '../contract/checks.ts';
import { caseFile } from '../generated/executor-cases.generated.ts';
import type { JsonObject } from '../json/value.ts';
import type { ConfiguredInstance } from '../skills/registrations.ts';
import {
  type ExecutorCase,
  type ExecutorExpectation,
  type Slot,
  slotsOf,
  type WrittenCase,
  type WrittenStep,
} from './executor-case.ts';
import type { Fixture, Need, Plan, Step } from './plan.ts';

/** The skills whose cases there are, by their names in the library. */
export const executorSkills: readonly string[] = Object.keys(caseFile.skills);

/** The instances that the cases are about. */
export const slots: readonly Slot[] = Object.entries(caseFile.skills).flatMap(([skill, written]) =>
  Object.entries(written.slots).map(([id, values]) => ({ id, skill, ...values })),
);

type ExecutorStep = Step<ExecutorExpectation>;

const snapshotWith = (changes: JsonObject): JsonObject => {
  const { lifecycle, ...rest } = caseFile.snapshot;
  return { ...rest, ...('story_type' in changes ? {} : { lifecycle }), ...changes };
};

const fixtureOf = ({ story = {}, message, envelope }: WrittenStep): Fixture => ({
  messageType: message?.type ?? 'story.context',
  payload: message?.payload ?? snapshotWith(story),
  ...(envelope ? { envelope } : {}),
});

const stepOf = (written: WrittenStep, all: readonly WrittenStep[]): ExecutorStep => {
  const { again, withheld, warnings = [] } = written;
  const settles = { until: 'responses', count: warnings.length } as const;
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

/** What the vendor says about its executor. */
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

const pendingCases: readonly ExecutorCase[] = caseFile.pending.flatMap(({ reason, basis, cases }) =>
  Object.entries(cases).map(([id, title]) => ({ id, title, basis, pending: reason, needs: [], steps: [] })),
);

/** Every case for skill executors, pending ones included. */
export const executorPlan = (options: ExecutorOptions = {}): Plan<ExecutorExpectation> => ({
  kind: 'executor',
  cases: Object.entries(caseFile.skills).flatMap(([skill, { cases }]) => [
    ...Object.entries(cases).map(([name, one]) => caseOf(`${skill}/${name}`, one, options)),
    ...pendingCases.filter(({ id }) => id.startsWith(`${skill}/`)),
  ]),
});

/** The slots that some cases need, each once. */
export const slotsFor = (cases: readonly ExecutorCase[]): readonly Slot[] => {
  const ids = new Set(cases.flatMap(slotsOf));
  return slots.filter(({ id }) => ids.has(id));
};

const authorityScale = ['legal', 'duty-editor', 'desk-editor'] as const;

/** The `skill_id` of a skill. */
export const skillIdOf = (skill: string): string => `smart-stories/${skill}`;

/** The instance that a run registers for a slot. */
export const instanceOf = ({ id, skill, values }: Slot): ConfiguredInstance => ({
  skill_id: skillIdOf(skill),
  skill_version: checkedLibrary,
  instance_label: `test-${id.toLowerCase()}`,
  values,
  authority_scale: authorityScale,
});

/** JSON with the members of each object in the order of their names. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? '';

/** What an instance does if it leaves a field out. */
const defaults: JsonObject = { record_permits: false };

const decisionOf = (values: JsonObject, name: string): string => sorted(values[name] ?? defaults[name]);

/** The first of some instances that fits a slot. */
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
