import { type JsonObject, quoteText } from './value.ts';

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
  if (value === undefined) return 'nothing';
  return String(value);
};

/** `"a", "b" and 3 more`. */
export const listing = (values: Iterable<string>): string => {
  const all = [...values];
  const shown = all.slice(0, maxListed).map(quotedText).join(', ');
  if (all.length > maxListed) return `${shown} and ${all.length - maxListed} more`;
  return shown;
};

/** ` Did you mean "…"?`, or nothing. */
export const hint = (suggestion: string | undefined): string => {
  if (suggestion === undefined) return '';
  return ` Did you mean ${quotedText(suggestion)}?`;
};

/** A member of a submitted map, JSON or YAML, itself: never one it inherits. */
export const own = (map: JsonObject, name: string): unknown =>
  Object.hasOwn(map, name) ? map[name] : undefined;

/**
 * Control characters other than line breaks and tabs, lone surrogates and noncharacters: none can
 * be shown or sent on.
 */
export const unprintable = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/u;

/** Why a value is not text that can be used, as the end of a sentence; undefined when it is. */
export const textProblem = (value: unknown): string | undefined => {
  if (typeof value === 'number' || typeof value === 'boolean')
    return `is ${describeValue(value)}, but has to be text: write it in quotes`;
  if (typeof value !== 'string') return `is ${describeValue(value)}, but has to be text`;
  if (value.trim() === '') return 'is empty text; it has to say something';
  if (unprintable.test(value))
    return `is ${describeValue(value)}, which holds a control character or half a surrogate pair`;
  return undefined;
};

export const isText = (value: unknown): value is string => textProblem(value) === undefined;
