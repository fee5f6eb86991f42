import { createHash } from 'node:crypto';
import { describeLibrary, type LibraryDescription } from '../domain/skills/describe-library.ts';
import type { Catalogue } from '../domain/skills/library.ts';
import { describeValue, listing } from '../domain/skills/words.ts';
import type { SkillRefusal } from './skill-refusal.ts';

/** A library version and the strong entity tag of its JSON text (RFC 9110 section 8.8.3), quotes included. */
export interface TaggedLibrary {
  readonly kind: 'library';
  readonly description: LibraryDescription;
  readonly etag: string;
}

const described = (catalogue: Catalogue, version: string | undefined): TaggedLibrary | SkillRefusal => {
  const description = describeLibrary(catalogue, version);
  if (!description) {
    const versions = listing(catalogue.map(library => library.version));
    const message = `Library version ${describeValue(version)} is not carried; the bus carries ${versions}.`;
    return { kind: 'refused', code: 'skills.version_unknown', message };
  }
  const digest = createHash('sha256').update(JSON.stringify(description)).digest('base64url');
  return { kind: 'library', description, etag: `"${digest}"` };
};

/**
 * Reads the skill library, in one version or the current one. Every carried version is described and tagged once, when
 * the reader is made.
 */
export const skillLibrary = (catalogue: Catalogue) => {
  const known = new Map(
    [undefined, ...catalogue.map(({ version }) => version)].map(v => [v, described(catalogue, v)]),
  );
  return (version?: string): TaggedLibrary | SkillRefusal =>
    known.get(version) ?? described(catalogue, version);
};
