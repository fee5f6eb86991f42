import { limits } from '../../contract/limits.ts';
import { messageTypes, typesWithoutSchema } from '../../contract/message-types.ts';
import { nearest } from '../../platform/json/nearest.ts';
import { quoteValue } from '../../platform/json/value.ts';

const form = /^(?:\*|[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*(?:\.\*)?)$/;

const isPattern = (text: string): boolean =>
  text.length <= limits.nameCharacters && form.test(text);

/** As a sentence; undefined if it is valid. */
export const problemWithPattern = (text: string): string | undefined => {
  if (isPattern(text)) return undefined;
  return `${quoteValue(text)} is not a message type pattern: use a type, family.* or *.`;
};

/**
 * Whether a type, or all that another pattern matches, falls under a pattern: an exact type,
 * `family.*` or `*`.
 */
export const matches = (pattern: string, other: string): boolean =>
  pattern === '*' ||
  pattern === other ||
  (pattern.endsWith('.*') && other.startsWith(pattern.slice(0, -1)));

/** The patterns of the families that a type is in: `a.*` and `a.b.*` for `a.b.c`. */
const familiesOf = (type: string): readonly string[] => {
  const names = type.split('.');
  const parents = names.slice(0, -1);
  return parents.map((_, index) => `${names.slice(0, index + 1).join('.')}.*`);
};

const meantPattern = (text: string, known: readonly string[]): string | undefined => {
  const families = known.flatMap(familiesOf);
  const family = `${text}.*`;
  if (families.includes(family)) return family;
  return nearest(text, [...known, ...families]);
};

/**
 * As a sentence, for types neither of SOM 1.0 nor of the skill library: a later 1.x may have
 * others.
 */
export const problemWithUnknownTypes = (patterns: readonly string[]): string | undefined => {
  const known = [...messageTypes, ...typesWithoutSchema];
  const unknown = patterns.find(pattern => !known.some(type => matches(pattern, type)));
  if (unknown === undefined) return undefined;
  const meant = meantPattern(unknown, known);
  const question = meant === undefined ? '' : ` Did you mean ${quoteValue(meant)}?`;
  return `${quoteValue(unknown)} matches no known message type.${question}`;
};

export const overlaps = (one: string, other: string): boolean =>
  matches(one, other) || matches(other, one);
