import { type Catalogue, currentLibrary, type Library, libraryOf, type Skill, skillOf } from './library.ts';
import { nearest } from './nearest.ts';
import { own, type SubmittedMap } from './submitted.ts';
import { isText, textFault } from './text-fault.ts';
import { describeValue, hint, listing } from './words.ts';

/** The skill an instance configures, and what is wrong with how it names it. */
export interface FoundSkill {
  readonly skill?: Skill;
  readonly problems: readonly string[];
}

const nearestSkill = (skillId: string, { skills }: Library): string | undefined => {
  const name = skillId.slice(skillId.lastIndexOf('/') + 1);
  const known = nearest(
    name,
    skills.map(skill => skill.name),
  );
  return skills.find(skill => skill.name === known)?.skill_id;
};

const versionProblem = (version: unknown, catalogue: Catalogue): string => {
  const fault = textFault(version);
  if (fault !== undefined) return `skill_version ${fault}.`;
  return `skill_version is ${describeValue(version)}, which the bus does not carry; it carries ${listing(catalogue.map(library => library.version))}.`;
};

const skillProblem = (skillId: unknown, library: Library): string => {
  if (skillId === undefined)
    return 'skill_id is missing: it says which skill is configured, as <namespace>/<name>.';
  if (!isText(skillId)) return `skill_id ${textFault(skillId)}.`;
  const near = nearestSkill(skillId, library);
  const allowed =
    near === undefined ? `; it has ${listing(library.skills.map(skill => skill.skill_id))}` : '';
  return `skill_id is ${describeValue(skillId)}, which is no skill of library ${library.version}${allowed}.${hint(near)}`;
};

/** Looks a skill up in the version the instance names, or in the current one. Values are checked only if both are right. */
export const findSkill = (instance: SubmittedMap, catalogue: Catalogue): FoundSkill => {
  const version = own(instance, 'skill_version');
  const current = currentLibrary(catalogue);
  const named = isText(version) ? libraryOf(catalogue, version) : undefined;
  const library = version === undefined ? current : named;
  const skillId = own(instance, 'skill_id');
  const skill = isText(skillId) ? skillOf(library ?? current, skillId) : undefined;
  const problems = [
    ...(skill ? [] : [skillProblem(skillId, library ?? current)]),
    ...(library ? [] : [versionProblem(version, catalogue)]),
  ];
  return library && skill ? { skill, problems } : { problems };
};
