import { stringify } from 'yaml';
import type { SkillRegistration } from './registrations.ts';

const instanceOf = ({
  skill_id,
  skill_version,
  instance_label,
  authority_scale,
  values,
}: SkillRegistration) => ({
  skill_id,
  skill_version,
  instance_label,
  ...(authority_scale ? { authority_scale } : {}),
  values,
});

/** Registered instances as a skills file in YAML, which can be registered again. */
export const skillsFile = (registrations: readonly SkillRegistration[]): string =>
  stringify({ skills: registrations.map(instanceOf) }, { aliasDuplicateObjects: false, lineWidth: 120 });
