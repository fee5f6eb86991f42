export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects in a list; of anything else, none. */
export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

export const textOf = (object: unknown, member: string): string => {
  if (object === null || typeof object !== 'object') return '';
  const value: unknown = Reflect.get(object, member);
  return typeof value === 'string' ? value : '';
};

/** Decodes UTF-8, without a byte order mark; undefined when the bytes are not UTF-8. */
export const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

export const jsonIn = (text: string | Uint8Array): unknown => {
  try {
    return JSON.parse(typeof text === 'string' ? text : (utf8Text(text) ?? ''));
  } catch {
    return undefined;
  }
};

/**
 * The strings of a JSON text, so that what looks like a number in one is passed over, and its
 * numbers. A string that is not closed is read once.
 */
export const stringOrNumber = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g;

/** A longer pointer would let a hostile member name fill a response. */
const maxPointer = 1000;

const escapeToken = (token: string | number): string =>
  `${token}`.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * The JSON Pointer (RFC 6901) of `tokens`, or of the nearest ancestor whose pointer has at most
 * 1,000 characters.
 */
export const pointerTo = (tokens: readonly (string | number)[]): string => {
  let pointer = '';
  for (const token of tokens) {
    const next = `${pointer}/${escapeToken(token)}`;
    if (next.length > maxPointer) break;
    pointer = next;
  }
  return pointer;
};

export const valueAt = (root: unknown, pointer: string): unknown => {
  let value = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name))
      return undefined;
    value = Reflect.get(value, name);
  }
  return value;
};

const maxQuote = 40;

/**
 * The first characters of a text, with an ellipsis if there are more. Never cuts a surrogate pair.
 */
export const shorten = (text: string, max: number = maxQuote): string =>
  text.length <= max ? text : `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`;

export const quoteText = (text: string, max: number): string => JSON.stringify(shorten(text, max));

/**
 * A value as shown to people: a scalar as JSON, up to 40 characters of it; an array or object by
 * its kind.
 */
export const quoteValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value !== null && typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return `${value}`;
  // Only the beginning is shown: there is no need to escape 240 KB.
  return `"${shorten(JSON.stringify(value.slice(0, maxQuote + 1)).slice(1, -1))}"`;
};
