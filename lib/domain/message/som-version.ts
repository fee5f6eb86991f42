import { type Violation, violation } from '../../contract/violation.ts';
import type { Strictness } from './schema-violations.ts';

const form = /^(\d+)\.(\d+)\.\d+$/;

/** How closely a declared `som_version` has the message held to the schemas. */
export const strictnessOf = (version: unknown): Strictness => {
  const match = typeof version === 'string' ? form.exec(version) : null;
  return match !== null && Number(match[1]) === 1 && Number(match[2]) > 0 ? '1.x' : '1.0';
};

/** Whether a declared `som_version` is one the bus takes; one that is no version at all is the schema's business. */
export const versionViolations = (version: unknown): readonly Violation[] => {
  const match = typeof version === 'string' ? form.exec(version) : null;
  if (match === null) return [];
  const major = Number(match[1]);
  const path = '/som_version';
  if (major === 0) {
    return [violation('som_version.pre_1_0', 'The message declares SOM 0.x; this bus takes SOM 1.x.', path)];
  }
  if (major === 1) return [];
  return [
    violation(
      'som_version.unsupported_major',
      'The message declares SOM 2.x or later; this bus takes SOM 1.x.',
      path,
    ),
  ];
};
