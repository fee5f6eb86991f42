import { isClosing, isOpening, tokensIn } from '../message/indented.ts';

/** A part of a text; `to` is behind its last character. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
  /** From 1. */
  readonly line: number;
}

type Tokens = ReturnType<typeof tokensIn>;

/** The token behind the value that begins at one, however deep it is. */
const afterValue = (tokens: Tokens, from: number): number => {
  let at = from;
  let depth = 0;
  do {
    const [one = ''] = tokens[at] ?? [];
    if (isOpening(one)) depth += 1;
    if (isClosing(one)) depth -= 1;
    at += 1;
  } while (depth > 0 && at < tokens.length);
  return at;
};

/** A name as it is meant. */
const meant = (name: string): string => {
  try {
    return String(JSON.parse(name));
  } catch {
    return '';
  }
};

/** The token where a child of an object or array begins; undefined if it has none of this name. */
const childOf = (tokens: Tokens, from: number, wanted: string): number | undefined => {
  const [opening = ''] = tokens[from] ?? [];
  if (!isOpening(opening)) return undefined;
  let at = from + 1;
  for (let index = 0; at < tokens.length; index += 1) {
    const [one = ''] = tokens[at] ?? [];
    if (isClosing(one)) return undefined;
    const isObject = opening === '{';
    const name = isObject ? meant(one) : `${index}`;
    // A member's value stands behind its name and a colon.
    const value = isObject ? at + 2 : at;
    if (name === wanted && value < tokens.length) return value;
    at = afterValue(tokens, value);
    if (tokens[at]?.[0] === ',') at += 1;
  }
  return undefined;
};

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

interface Place {
  readonly tokens: Tokens;
  /**
   * The token where the value begins; if it is missing, where the object or array does that lacks
   * it.
   */
  readonly at: number;
  readonly isMissing: boolean;
}

/**
 * Where a JSON pointer (RFC 6901) leads; undefined for the whole text, and for one that is no
 * object or array.
 */
const placeOf = (text: string, pointer: string): Place | undefined => {
  const tokens = tokensIn(text);
  if (pointer === '' || !isOpening(tokens[0]?.[0] ?? '')) return undefined;
  let at = 0;
  for (const name of pointer.split('/').slice(1).map(unescaped)) {
    const child = childOf(tokens, at, name);
    if (child === undefined) return { tokens, at, isMissing: true };
    at = child;
  }
  return { tokens, at, isMissing: false };
};

const rangeAt = (text: string, { tokens, at, isMissing }: Place): TextRange => {
  const last = tokens[isMissing ? at : afterValue(tokens, at) - 1] ?? tokens.at(-1);
  const from = tokens[at]?.index ?? 0;
  const to = (last?.index ?? 0) + (last?.[0].length ?? 0);
  return { from, to, line: text.slice(0, from).split('\n').length };
};

/**
 * Where a JSON pointer leads in a text; for a member that is missing, where the object begins that
 * lacks it. Undefined for the whole text, and for a text that is no object or array.
 */
export const rangeOf = (text: string, pointer: string): TextRange | undefined => {
  const place = placeOf(text, pointer);
  return place && rangeAt(text, place);
};

/**
 * A JSON text with another token for one of its values, and all else as it was; the same text if it
 * has no such value.
 */
export const withToken = (text: string, pointer: string, token: string): string => {
  const place = placeOf(text, pointer);
  if (!place || place.isMissing) return text;
  const { from, to } = rangeAt(text, place);
  return text.slice(0, from) + token + text.slice(to);
};
