import { type FieldKind, isFieldKind } from './field-kinds.ts';

/** A field as a skill file states it. `range` bounds are included; `never` maps a refused value to the reason. */
interface FieldFile<Kind extends string> {
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  readonly about: string;
  readonly options?: readonly string[] | undefined;
  readonly value_options?: readonly string[] | undefined;
  readonly range?: { readonly least?: number | undefined; readonly most?: number | undefined } | undefined;
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

export interface RemovedField {
  readonly name: string;
  readonly removed_in: string;
  readonly renamed_to?: string | undefined;
}

const statuses = ['current', 'supported', 'retired'] as const;
const scales = ['required', 'optional'] as const;

/** The JSON files as they are imported: words are not narrowed yet. */
export type SkillFile = SkillFileOf<string, string>;
export type LibraryFile = LibraryFileOf<string>;

export type SkillField = FieldFile<FieldKind>;
export type Skill = SkillFileOf<FieldKind, (typeof scales)[number]>;

/** One version of the skill library. */
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

/** One library version from its files. Throws when a word in our own data is not one the code knows. */
export const libraryFrom = (file: LibraryFile, skills: readonly SkillFile[]): Library => ({
  ...file,
  status: oneOf(statuses, file.status, `status of library ${file.version}`),
  skills: skills.map(skillFrom),
});

/** The version that instances without a `skill_version` are checked against. */
export const currentLibrary = (catalogue: Catalogue): Library =>
  catalogue.find(({ status }) => status === 'current') ?? catalogue[0];

export const libraryOf = (catalogue: Catalogue, version: string): Library | undefined =>
  catalogue.find(library => library.version === version);

export const skillOf = (library: Library, skillId: string): Skill | undefined =>
  library.skills.find(({ skill_id }) => skill_id === skillId);
