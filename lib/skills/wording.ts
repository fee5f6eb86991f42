import { quoteText } from '../json/value.ts';

const maxTextCharacters = 60;
const maxListed = 12;

/** The first 60 characters of a text in quotes, on one line. */
export const quotedText = (text: string): string => quoteText(text, maxTextCharacters);

/** A submitted value inside a sentence: short, on one line, never a whole list or map. */
export const describeValue = (value: unknown): string => {
  if (typeof value === 'string') return quotedText(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (value === null) return 'nothing (null)';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'an empty map' : 'a map';
  return value === undefined ? 'nothing' : String(value);
};

/** `"a", "b" and 3 more`. */
export const listing = (values: Iterable<string>): string => {
  const all = [...values];
  const shown = all.slice(0, maxListed).map(quotedText).join(', ');
  return all.length > maxListed ? `${shown} and ${all.length - maxListed} more` : shown;
};

/** ` Did you mean "…"?`, or nothing. */
export const hint = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : ` Did you mean ${quotedText(suggestion)}?`;
