import { describeValue } from '../platform/json/submitted.ts';
import { isJsonObject } from '../platform/json/value.ts';
import { readYaml } from '../platform/json/yaml.ts';

export interface Submission {
  readonly kind: 'submission';
  readonly checked: 'instance' | 'list' | 'yaml';
  readonly instances: readonly unknown[];
  readonly problem?: string;
}

export interface Unreadable {
  readonly kind: 'unreadable';
  readonly message: string;
}

export const unreadable = (message: string): Unreadable => ({ kind: 'unreadable', message });

export const section = (skills: unknown, checked: 'list' | 'yaml'): Submission => {
  if (Array.isArray(skills)) return { kind: 'submission', checked, instances: skills };
  if (skills === null) return { kind: 'submission', checked, instances: [] };
  const problem = `skills is ${describeValue(skills)}, but has to be a list of instances.`;
  return { kind: 'submission', checked, instances: [], problem };
};

/** How a file is read: to be checked, or so that no digit of its numbers is lost. */
export interface ReadingOptions {
  readonly isAsWritten?: boolean;
}

export const readSkillsFile = (
  text: string,
  reading: ReadingOptions = {},
): Submission | Unreadable => {
  const read = readYaml(text, reading);
  if (read.kind === 'error') return unreadable(`The YAML cannot be read: ${read.reason}.`);
  const { value } = read;
  if (value === null)
    return unreadable('The file is empty: it needs a skills: section or a list of instances.');
  if (Array.isArray(value)) return section(value, 'yaml');
  if (isJsonObject(value) && Object.hasOwn(value, 'skills'))
    return section(value['skills'], 'yaml');
  return unreadable(
    `The file has no skills: section and is not a list of instances; it is ${describeValue(value)}.`,
  );
};
