import { limits } from '../../contract/limits.ts';
import { checkInstance, type Rulebook } from './check-instance.ts';
import { currentLibrary } from './library.ts';
import type { Submission } from './read-submission.ts';
import { isMap, own } from './submitted.ts';

export interface CheckedInstance {
  readonly index: number;
  readonly instance_label: string;
  readonly skill_id: string;
  readonly valid: boolean;
  readonly problems: readonly string[];
}

/** The answer of `POST /api/skills/validate`. */
export interface InstancesReport {
  readonly valid: boolean;
  readonly library_version: string;
  readonly checked: Submission['checked'];
  readonly instances: readonly CheckedInstance[];
  readonly problems: readonly string[];
}

const longestEcho = 200;

/** A text of the instance for the report; aliases could otherwise multiply a long one. */
const echo = (instance: unknown, name: string): string => {
  const text = isMap(instance) ? own(instance, name) : undefined;
  return typeof text === 'string' ? text.slice(0, longestEcho) : '';
};

const firstOfEachLabel = (instances: readonly unknown[]): ReadonlyMap<string, number> => {
  const labels = new Map<string, number>();
  for (const [index, instance] of instances.entries()) {
    const label = isMap(instance) ? own(instance, 'instance_label') : undefined;
    if (typeof label === 'string' && !labels.has(label)) labels.set(label, index);
  }
  return labels;
};

const countProblem = (count: number): string | undefined => {
  if (count === 0) return 'There is no instance to check: the list is empty.';
  return count > limits.skillInstances
    ? `There are ${count} instances, but one call checks at most ${limits.skillInstances}; none was checked. Send them in parts.`
    : undefined;
};

/** Checks instances as a house registration is checked. All problems of an instance are reported together. */
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
