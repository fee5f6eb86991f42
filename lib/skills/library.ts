import { nearest } from '../platform/json/nearest.ts';
import {
  describeValue,
  hint,
  isText,
  listing,
  own,
  textProblem,
} from '../platform/json/submitted.ts';
import type { JsonObject } from '../platform/json/value.ts';
import type { StoryPaths } from './story-paths.ts';

export const fieldKinds = {
  path:
    'A dot path on SOM 1.0 story.context, with [] after every list and nowhere else: ' +
    'editorial_source[].credibility.',
  path_list: 'A list of at least one path on story.context.',
  item_path:
    'A dot path on an observed item outside the story. It is not resolved: SOM has no schema for such items.',
  enum: 'One of the options, in exactly that spelling.',
  enum_list: 'A list of at least one of the options.',
  text: 'Text that is not empty.',
  text_list: 'A list of at least one text.',
  value:
    'One literal: text, a number, true or false. It is compared as it stands, type and letter case included.',
  number: 'A number within the range that the field states.',
  integer: 'A whole number within the range that the field states.',
  boolean: 'true or false.',
  authority:
    "The name of one authority. It has to be on the instance's authority_scale if there is one.",
  row:
    'A list of at least one row. Every row has each of the options as a key, with a text, and ' +
    'no other key; their order counts.',
  map: 'At least one text key, each with a text.',
} as const;

export type FieldKind = keyof typeof fieldKinds;

const isFieldKind = (kind: string): kind is FieldKind => Object.hasOwn(fieldKinds, kind);

/**
 * A field as a skill file states it. `range` bounds are included; `never` maps a refused value to
 * the reason.
 */
interface FieldFile<Kind extends string> {
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  readonly about: string;
  readonly options?: readonly string[] | undefined;
  readonly value_options?: readonly string[] | undefined;
  readonly range?:
    | { readonly min?: number | undefined; readonly max?: number | undefined }
    | undefined;
  readonly never?: Readonly<Record<string, string | undefined>> | undefined;
  /** The list field that holds every allowed value; for rows, the key whose values are meant. */
  readonly member_of?: { readonly field: string; readonly key?: string | undefined } | undefined;
}

interface SkillFileOf<Kind extends string, Scale extends string> {
  readonly skill_id: string;
  readonly name: string;
  readonly skill_version: string;
  readonly category: string;
  readonly severity_range: readonly string[];
  readonly authority_scale: Scale;
  readonly recall_on: readonly string[];
  readonly fields: readonly FieldFile<Kind>[];
  readonly removed_fields?: readonly RemovedField[] | undefined;
}

interface LibraryFileOf<Status extends string> {
  readonly version: string;
  readonly status: Status;
  readonly som_version: string;
  readonly source: string;
  readonly source_commit: string;
}

interface RemovedField {
  readonly name: string;
  readonly removed_in: string;
  readonly renamed_to?: string | undefined;
}

const statuses = ['current', 'supported', 'retired'] as const;
const scales = ['required', 'optional'] as const;

/** The JSON files as they are imported: words are not narrowed yet. */
type SkillFile = SkillFileOf<string, string>;
type LibraryFile = LibraryFileOf<string>;

export type SkillField = FieldFile<FieldKind>;
export type Skill = SkillFileOf<FieldKind, (typeof scales)[number]>;

export interface Library extends LibraryFileOf<(typeof statuses)[number]> {
  readonly skills: readonly Skill[];
}

/** Every version that is carried, newest first; exactly one has the status `current`. */
export type Catalogue = readonly [Library, ...Library[]];

const oneOf = <Word extends string>(words: readonly Word[], word: string, of: string): Word => {
  const found = words.find(known => known === word);
  if (found === undefined) throw new Error(`${of}: "${word}" is none of ${words.join(', ')}`);
  return found;
};

const fieldFrom = (file: FieldFile<string>, skill: string): SkillField => {
  const { kind } = file;
  if (!isFieldKind(kind)) throw new Error(`${skill}, field ${file.name}: unknown kind "${kind}"`);
  return { ...file, kind };
};

const skillFrom = (file: SkillFile): Skill => ({
  ...file,
  authority_scale: oneOf(scales, file.authority_scale, `authority_scale of ${file.skill_id}`),
  fields: file.fields.map(field => fieldFrom(field, file.skill_id)),
});

/**
 * One library version from its files. Throws when a word in our own data is not one the code knows.
 */
export const libraryFrom = (file: LibraryFile, skills: readonly SkillFile[]): Library => ({
  ...file,
  status: oneOf(statuses, file.status, `status of library ${file.version}`),
  skills: skills.map(skillFrom),
});

export interface Rulebook {
  readonly catalogue: Catalogue;
  readonly paths: StoryPaths;
}

export const currentLibrary = (catalogue: Catalogue): Library =>
  catalogue.find(({ status }) => status === 'current') ?? catalogue[0];

export const libraryOf = (catalogue: Catalogue, version: string): Library | undefined =>
  catalogue.find(library => library.version === version);

const skillOf = (library: Library, skillId: string): Skill | undefined =>
  library.skills.find(({ skill_id }) => skill_id === skillId);

interface FoundSkill {
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
  const error = textProblem(version);
  if (error !== undefined) return `skill_version ${error}.`;
  return (
    `skill_version is ${describeValue(version)}, which the bus does not carry; it carries ` +
    `${listing(catalogue.map(library => library.version))}.`
  );
};

const skillProblem = (skillId: unknown, library: Library): string => {
  if (skillId === undefined)
    return 'skill_id is missing: it says which skill is configured, as <namespace>/<name>.';
  if (!isText(skillId)) return `skill_id ${textProblem(skillId)}.`;
  const near = nearestSkill(skillId, library);
  const allowed =
    near === undefined ? `; it has ${listing(library.skills.map(skill => skill.skill_id))}` : '';
  return (
    `skill_id is ${describeValue(skillId)}, which is not a skill of library ` +
    `${library.version}${allowed}.${hint(near)}`
  );
};

/**
 * Looks a skill up in the version the instance names, or in the current one. Values are checked
 * only if both are right.
 */
export const findSkill = (instance: JsonObject, catalogue: Catalogue): FoundSkill => {
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
  if (library && skill) return { skill, problems };
  return { problems };
};
