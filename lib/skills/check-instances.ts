import { limits } from '../contract/limits.ts';
import { nearest } from '../platform/json/nearest.ts';
import {
  describeValue,
  hint,
  isText,
  listing,
  own,
  textProblem,
} from '../platform/json/submitted.ts';
import { isJsonObject, type JsonObject } from '../platform/json/value.ts';
import { checkFields } from './check-fields.ts';
import { currentLibrary, findSkill, type Rulebook, type Skill } from './library.ts';
import type { Submission } from './skills-file.ts';

const listForm = 'a list of authority names, the most senior first';

/**
 * What is wrong with an instance's `authority_scale`. It is optional when the skill compares no
 * authorities.
 */
function* checkScale(scale: unknown, skill: Skill | undefined): Iterable<string> {
  if (scale === undefined) {
    if (skill?.authority_scale === 'required')
      yield `authority_scale is missing: ${skill.name} compares authorities, so the instance has to ` +
        `carry the house's scale, ${listForm}.`;
    return;
  }
  if (!Array.isArray(scale) || scale.length === 0) {
    yield `authority_scale is ${describeValue(scale)}, but has to be ${listForm}.`;
    return;
  }
  const seen = new Set<unknown>();
  for (const [index, authority] of scale.entries()) {
    const error = textProblem(authority);
    if (error !== undefined) yield `authority_scale[${index}] ${error}.`;
    else if (seen.has(authority))
      yield `authority_scale[${index}] repeats ${describeValue(authority)}: every authority has one rank.`;
    seen.add(authority);
  }
}

/**
 * The scale to look authorities up in; undefined when there is none or it is not a list of texts.
 */
export const usableScale = (scale: unknown): readonly string[] | undefined =>
  Array.isArray(scale) && scale.length > 0 && scale.every(isText) ? scale : undefined;

const members = [
  'skill_id',
  'skill_version',
  'instance_label',
  'values',
  'authority_scale',
  'consumer',
];

function* unknownMembers(instance: JsonObject, skill: Skill | undefined): Iterable<string> {
  for (const name of Object.keys(instance)) {
    if (members.includes(name)) continue;
    if (skill?.fields.some(field => field.name === name))
      yield `${name} is beside values, but is a field of ${skill.name}: move it into values.`;
    else
      yield `The instance has ${describeValue(name)}; an instance has ${listing(members)} and ` +
        `nothing else.${hint(nearest(name, members))}`;
  }
}

type Labels = ReadonlyMap<string, number>;

function* labelProblems(label: unknown, index: number, labels: Labels): Iterable<string> {
  if (label === undefined) {
    yield 'instance_label is missing: it names the instance, and its warnings carry it as rule_id.';
  } else if (!isText(label)) {
    yield `instance_label ${textProblem(label)}.`;
  } else if (labels.get(label) !== index)
    yield `instance_label is ${describeValue(label)}, which an earlier instance of the list has ` +
      'already: every label has to be unique.';
}

function* allProblems(
  instance: unknown,
  index: number,
  against: Rulebook & { labels: Labels },
): Iterable<string> {
  if (!isJsonObject(instance)) {
    yield 'An instance is a map with skill_id, instance_label and values; this one is ' +
      `${describeValue(instance)}.`;
    return;
  }
  const { skill, problems } = findSkill(instance, against.catalogue);
  yield* problems;
  yield* labelProblems(own(instance, 'instance_label'), index, against.labels);
  const scale = own(instance, 'authority_scale');
  yield* checkScale(scale, skill);
  yield* unknownMembers(instance, skill);
  if (skill)
    yield* checkFields(own(instance, 'values'), skill, {
      paths: against.paths,
      scale: usableScale(scale),
    });
}

/**
 * What is wrong with an instance, one sentence each. The search stops after
 * {@link limits.violationsReported}: a body of 256 KB can hold tens of thousands of errors.
 */
const checkInstance = (
  instance: unknown,
  index: number,
  against: Rulebook & { labels: Labels },
): readonly string[] => {
  const problems: string[] = [];
  for (const problem of allProblems(instance, index, against)) {
    if (problems.length === limits.violationsReported)
      return [
        ...problems,
        `There are more than these ${limits.violationsReported} problems: fix them, then check again.`,
      ];
    problems.push(problem);
  }
  return problems;
};

export interface CheckedInstance {
  readonly index: number;
  readonly instance_label: string;
  readonly skill_id: string;
  readonly valid: boolean;
  readonly problems: readonly string[];
}

/** The response of `POST /api/skills/validate`. */
export interface InstancesReport {
  readonly valid: boolean;
  readonly library_version: string;
  readonly checked: Submission['checked'];
  readonly instances: readonly CheckedInstance[];
  readonly problems: readonly string[];
}

const maxEchoCharacters = 200;

/** A text of the instance for the report, shortened: aliases could multiply a long one. */
const echo = (instance: unknown, name: string): string => {
  const text = isJsonObject(instance) ? own(instance, name) : undefined;
  if (typeof text === 'string') return text.slice(0, maxEchoCharacters);
  return '';
};

const firstOfEachLabel = (instances: readonly unknown[]): ReadonlyMap<string, number> => {
  const labels = new Map<string, number>();
  for (const [index, instance] of instances.entries()) {
    const label = isJsonObject(instance) ? own(instance, 'instance_label') : undefined;
    if (typeof label === 'string' && !labels.has(label)) labels.set(label, index);
  }
  return labels;
};

const countProblem = (count: number): string | undefined => {
  if (count === 0) return 'There is no instance to check: the list is empty.';
  if (count > limits.skillInstances)
    return (
      `There are ${count} instances, but one call checks at most ${limits.skillInstances}; none ` +
      'was checked. Send them in parts.'
    );
  return undefined;
};

export const checkInstances = (submission: Submission, rulebook: Rulebook): InstancesReport => {
  const { checked, instances } = submission;
  const wrong = submission.problem ?? countProblem(instances.length);
  const against = { ...rulebook, labels: firstOfEachLabel(instances) };
  const reports = (wrong === undefined ? instances : []).map((instance, index) => {
    const problems = checkInstance(instance, index, against);
    return {
      index,
      instance_label: echo(instance, 'instance_label'),
      skill_id: echo(instance, 'skill_id'),
      valid: problems.length === 0,
      problems,
    };
  });
  return {
    valid: wrong === undefined && reports.every(({ valid }) => valid),
    library_version: currentLibrary(rulebook.catalogue).version,
    checked,
    instances: reports,
    problems: wrong === undefined ? [] : [wrong],
  };
};
