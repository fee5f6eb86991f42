export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member's text; empty where it is no text, or the value no object. */
export const textOf = (object: unknown, member: string): string => {
  const value: unknown =
    object !== null && typeof object === 'object' ? Reflect.get(object, member) : undefined;
  return typeof value === 'string' ? value : '';
};

/** The text of some bytes, without a byte order mark; undefined when they are not UTF-8. */
export const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** The value of a JSON text, in UTF-8 where it is bytes; undefined when it is not JSON. */
export const jsonIn = (text: string | Uint8Array): unknown => {
  try {
    return JSON.parse(typeof text === 'string' ? text : (utf8Text(text) ?? ''));
  } catch {
    return undefined;
  }
};

/** A JSON Pointer (RFC 6901); longer ones would let a hostile member name fill an answer. */
const longestPointer = 1000;

const escapeToken = (token: string | number): string =>
  `${token}`.replaceAll('~', '~0').replaceAll('/', '~1');

/** The pointer of `tokens`; where it would be longer than 1,000 characters, that of the nearest ancestor that fits. */
export const pointerTo = (tokens: readonly (string | number)[]): string => {
  let pointer = '';
  for (const token of tokens) {
    const next = `${pointer}/${escapeToken(token)}`;
    if (next.length > longestPointer) break;
    pointer = next;
  }
  return pointer;
};

/** The value a pointer leads to inside a parsed message; undefined when there is none. */
export const valueAt = (root: unknown, pointer: string): unknown => {
  let value = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
};

const longestQuote = 40;

/** The first characters of a text (40), with a mark where more followed; no character is cut in half. */
export const shorten = (text: string, max: number = longestQuote): string =>
  text.length <= max ? text : `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`;

/** The first characters of a text in quotes, on one line. */
export const quoteText = (text: string, max: number): string => JSON.stringify(shorten(text, max));

/** A value as people are shown it: scalars as JSON, at most 40 characters of them; the rest by kind. */
export const quoteValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value !== null && typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return `${value}`;
  // JSON.stringify of a whole 240 KB text would be work for nothing.
  return `"${shorten(JSON.stringify(value.slice(0, longestQuote + 1)).slice(1, -1))}"`;
};
