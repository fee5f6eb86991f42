import type { Rulebook } from './check-instance.ts';
import { type CheckedInstance, checkInstances } from './check-instances.ts';
import { usableScale } from './check-scale.ts';
import { type Catalogue, currentLibrary } from './library.ts';
import { readSubmission } from './read-submission.ts';
import { isMap, own, type SubmittedMap } from './submitted.ts';
import { isText } from './text-fault.ts';
import { describeValue } from './words.ts';

/** An instance that passed every check, with the version it was checked against. */
export interface ConfiguredInstance {
  readonly skill_id: string;
  readonly skill_version: string;
  readonly instance_label: string;
  readonly values: SubmittedMap;
  readonly authority_scale?: readonly string[];
}

/** The instances of a file, or why none of it may be registered: one line per problem. */
export type RegistrationFile =
  | { readonly kind: 'valid'; readonly instances: readonly ConfiguredInstance[] }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

const configured = (instance: unknown, catalogue: Catalogue): ConfiguredInstance[] => {
  if (!isMap(instance)) return [];
  const [skillId, label, version, values] = ['skill_id', 'instance_label', 'skill_version', 'values'].map(
    name => own(instance, name),
  );
  const scale = usableScale(own(instance, 'authority_scale'));
  if (!isText(skillId) || !isText(label) || !isMap(values)) return [];
  return [
    {
      skill_id: skillId,
      skill_version: isText(version) ? version : currentLibrary(catalogue).version,
      instance_label: label,
      values,
      ...(scale ? { authority_scale: scale } : {}),
    },
  ];
};

const lines = ({ index, instance_label, problems }: CheckedInstance): string[] =>
  problems.map(
    problem => `Instance ${index}${instance_label && ` (${describeValue(instance_label)})`}: ${problem}`,
  );

/**
 * Reads a house's skills file, YAML or JSON, with the checks of `POST /api/skills/validate`. All of it is valid or
 * none of it is taken.
 */
export const checkRegistrationFile = (file: Uint8Array, rulebook: Rulebook): RegistrationFile => {
  const submission = readSubmission(file, '');
  if (submission.kind === 'unreadable') return { kind: 'refused', problems: [submission.message] };
  const report = checkInstances(submission, rulebook);
  return report.valid
    ? { kind: 'valid', instances: submission.instances.flatMap(one => configured(one, rulebook.catalogue)) }
    : { kind: 'refused', problems: [...report.problems, ...report.instances.flatMap(lines)] };
};
