import { createHash } from 'node:crypto';
import storyContext from '../../schemas/story-context.schema.json';
import { families } from '../contract/message-types.ts';
import { defined } from '../contract/outside.ts';
import type { SkillErrorCode } from '../contract/rules.ts';
import { describeValue, listing } from '../platform/json/submitted.ts';
import { carried } from './carried.ts';
import {
  type Catalogue,
  currentLibrary,
  type FieldKind,
  fieldKinds,
  type Library,
  libraryOf,
  type Rulebook,
  type Skill,
  type SkillField,
} from './library.ts';
import { storyPaths } from './story-paths.ts';

interface Topic {
  readonly message_type: string;
  readonly spec: 'schema' | 'pending-spec';
}

const topic = (messageType: string): Topic => ({
  message_type: messageType,
  spec: families.has(messageType) ? 'schema' : 'pending-spec',
});

const recall = (messageType: string) => {
  const schema = families.get(messageType);
  return { ...topic(messageType), ...defined({ schema }) };
};

const describeField = ({ name, kind, required, options, about }: SkillField) => ({
  name,
  kind,
  required,
  ...defined({ options }),
  about,
});

const describeSkill = (skill: Skill) => ({
  skill_id: skill.skill_id,
  name: skill.name,
  skill_version: skill.skill_version,
  category: skill.category,
  severity_range: skill.severity_range,
  authority_scale: skill.authority_scale,
  recall_on: skill.recall_on.map(recall),
  fields: skill.fields.map(describeField),
});

const describeVersion = ({ version, status, som_version }: Library) => ({
  version,
  status,
  suite: `som-${som_version}+lib-${version}`,
});

const topicsOf = (skills: readonly Skill[]): readonly Topic[] =>
  [...new Set(skills.flatMap(({ recall_on }) => recall_on))].sort().map(topic);

const kindsOf = (skills: readonly Skill[]): Partial<Record<FieldKind, string>> => {
  const used = new Set<string>(skills.flatMap(({ fields }) => fields.map(({ kind }) => kind)));
  return Object.fromEntries(Object.entries(fieldKinds).filter(([kind]) => used.has(kind)));
};

/**
 * What `GET /api/skills/library` says of a version, or of the current one; undefined when it is not
 * carried. Members come in a fixed order: equal libraries give equal bytes.
 */
export const describeLibrary = (catalogue: Catalogue, version?: string) => {
  const library = version === undefined ? currentLibrary(catalogue) : libraryOf(catalogue, version);
  if (!library) return undefined;
  const { som_version, source, source_commit, skills } = library;
  return {
    library: { ...describeVersion(library), som_version, source, source_commit },
    versions: catalogue.map(describeVersion),
    skills: skills.map(describeSkill),
    topics: topicsOf(skills),
    field_kinds: kindsOf(skills),
  };
};

type LibraryDescription = NonNullable<ReturnType<typeof describeLibrary>>;

export interface SkillRefusal {
  readonly kind: 'refused';
  readonly code: SkillErrorCode;
  readonly message: string;
}

export const skillRulebook: Rulebook = { catalogue: carried, paths: storyPaths(storyContext) };

/**
 * A library version and the strong entity tag of its JSON text (RFC 9110 section 8.8.3), quotes
 * included.
 */
interface TaggedLibrary {
  readonly kind: 'library';
  readonly description: LibraryDescription;
  readonly etag: string;
}

const described = (
  catalogue: Catalogue,
  version: string | undefined,
): TaggedLibrary | SkillRefusal => {
  const description = describeLibrary(catalogue, version);
  if (!description) {
    const versions = listing(catalogue.map(library => library.version));
    const message = `Library version ${describeValue(version)} is not carried; the bus carries ${versions}.`;
    return { kind: 'refused', code: 'skills.version_unknown', message };
  }
  const digest = createHash('sha256').update(JSON.stringify(description)).digest('base64url');
  return { kind: 'library', description, etag: `"${digest}"` };
};

/** Every carried version is described and tagged once, when the reader is made. */
export const skillLibrary = (catalogue: Catalogue) => {
  const known = new Map(
    [undefined, ...catalogue.map(({ version }) => version)].map(v => [v, described(catalogue, v)]),
  );
  return (version?: string): TaggedLibrary | SkillRefusal =>
    known.get(version) ?? described(catalogue, version);
};
