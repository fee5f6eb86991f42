/** A JSON Pointer (RFC 6901); longer ones would let a hostile member name fill an answer. */
const longest = 1000;

const escapeToken = (token: string | number): string =>
  `${token}`.replaceAll('~', '~0').replaceAll('/', '~1');

/** The pointer of `tokens`; where it would be longer than 1,000 characters, that of the nearest ancestor that fits. */
export const pointerTo = (tokens: readonly (string | number)[]): string => {
  let pointer = '';
  for (const token of tokens) {
    const next = `${pointer}/${escapeToken(token)}`;
    if (next.length > longest) break;
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
