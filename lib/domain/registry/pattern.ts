import { limits } from '../../contract/limits.ts';
import { quoteValue } from '../message/quote-value.ts';

const form = /^(?:\*|[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*(?:\.\*)?)$/;

/** Whether a text is a grant or subscription: an exact type, `family.*` or `*`. */
export const isPattern = (text: string): boolean => text.length <= limits.nameCharacters && form.test(text);

/** What is wrong with a text as a grant or subscription, as a sentence; undefined when nothing is. */
export const problemWithPattern = (text: string): string | undefined =>
  isPattern(text) ? undefined : `${quoteValue(text)} is no message type pattern: use a type, family.* or *.`;

/**
 * Whether a message type falls under a grant or subscription: an exact type, `family.*` (everything that
 * starts with `family.`), or `*`.
 */
export const matches = (pattern: string, messageType: string): boolean =>
  pattern === '*' ||
  pattern === messageType ||
  (pattern.endsWith('.*') && messageType.startsWith(pattern.slice(0, -1)));

export const matchesAny = (patterns: readonly string[], messageType: string): boolean =>
  patterns.some(pattern => matches(pattern, messageType));

/** Whether there can be a message type that falls under both. */
export const overlaps = (one: string, other: string): boolean => matches(one, other) || matches(other, one);
