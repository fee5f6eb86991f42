import { limits } from '../../contract/limits.ts';
import { checkFields } from './check-fields.ts';
import { checkScale, usableScale } from './check-scale.ts';
import { findSkill } from './find-skill.ts';
import type { Catalogue, Skill } from './library.ts';
import { nearest } from './nearest.ts';
import type { StoryPaths } from './story-paths.ts';
import { isMap, own, type SubmittedMap } from './submitted.ts';
import { isText, textFault } from './text-fault.ts';
import { describeValue, hint, listing } from './words.ts';

/** What instances are checked against. */
export interface Rulebook {
  readonly catalogue: Catalogue;
  readonly paths: StoryPaths;
}

const members = ['skill_id', 'skill_version', 'instance_label', 'values', 'authority_scale', 'consumer'];

function* unknownMembers(instance: SubmittedMap, skill: Skill | undefined): Iterable<string> {
  for (const name of Object.keys(instance)) {
    if (members.includes(name)) continue;
    yield skill?.fields.some(field => field.name === name)
      ? `${name} stands beside values, but is a field of ${skill.name}: move it into values.`
      : `The instance has ${describeValue(name)}; an instance has ${listing(members)} and nothing else.${hint(nearest(name, members))}`;
  }
}

/** The first instance of every label. */
export type Labels = ReadonlyMap<string, number>;

function* labelProblems(label: unknown, index: number, labels: Labels): Iterable<string> {
  if (label === undefined) {
    yield 'instance_label is missing: it names the instance, and its warnings carry it as rule_id.';
  } else if (!isText(label)) {
    yield `instance_label ${textFault(label)}.`;
  } else if (labels.get(label) !== index) {
    yield `instance_label is ${describeValue(label)}, which instance ${labels.get(label)} of the list has already: every label has to be unique.`;
  }
}

function* allProblems(
  instance: unknown,
  index: number,
  against: Rulebook & { labels: Labels },
): Iterable<string> {
  if (!isMap(instance)) {
    yield `An instance is a map with skill_id, instance_label and values; this one is ${describeValue(instance)}.`;
    return;
  }
  const { skill, problems } = findSkill(instance, against.catalogue);
  yield* problems;
  yield* labelProblems(own(instance, 'instance_label'), index, against.labels);
  const scale = own(instance, 'authority_scale');
  yield* checkScale(scale, skill);
  yield* unknownMembers(instance, skill);
  if (skill) {
    yield* checkFields(own(instance, 'values'), skill, { paths: against.paths, scale: usableScale(scale) });
  }
}

/**
 * What is wrong with an instance, one sentence each. After {@link limits.violationsReported} of them the rest is not
 * looked for: a body of 256 KB can hold tens of thousands of faults.
 */
export const checkInstance = (
  instance: unknown,
  index: number,
  against: Rulebook & { labels: Labels },
): readonly string[] => {
  const problems: string[] = [];
  for (const problem of allProblems(instance, index, against)) {
    if (problems.length === limits.violationsReported) {
      return [
        ...problems,
        `There are more than these ${limits.violationsReported} problems: mend them, then check again.`,
      ];
    }
    problems.push(problem);
  }
  return problems;
};
