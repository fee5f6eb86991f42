/** A part of a text; `to` is behind its last character. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
  /** From 1. */
  readonly line: number;
}

const afterSpace = (text: string, from: number): number => {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? '.')) at += 1;
  return at;
};

/** Behind the string that begins here. */
const afterString = (text: string, from: number): number => {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
};

/** Behind the value that begins here, however deep it is. */
const afterValue = (text: string, from: number): number => {
  let [at, depth] = [from, 0];
  while (at < text.length) {
    const one = text[at] ?? '';
    if (one === '"') at = afterString(text, at);
    else if (depth === 0 && /[\s,\]}]/.test(one)) return at;
    else {
      depth += '{['.includes(one) ? 1 : '}]'.includes(one) ? -1 : 0;
      at += 1;
    }
    if (depth === 0 && '"}]'.includes(one)) return at;
  }
  return at;
};

/** The name of the member that begins here, as it is meant. */
const nameIn = (text: string, from: number): string => {
  try {
    return String(JSON.parse(text.slice(from, afterString(text, from))));
  } catch {
    return '';
  }
};

/** Where a child of the object or array that begins here begins; undefined if it has none of this name. */
const childOf = (text: string, from: number, token: string): number | undefined => {
  const isObject = text[from] === '{';
  if (!isObject && text[from] !== '[') return undefined;
  let at = afterSpace(text, from + 1);
  for (let index = 0; at < text.length && !'}]'.includes(text[at] ?? ''); index += 1) {
    const name = isObject ? nameIn(text, at) : `${index}`;
    const value = isObject ? afterSpace(text, afterSpace(text, afterString(text, at)) + 1) : at;
    if (name === token) return value;
    at = afterSpace(text, afterValue(text, value));
    if (text[at] === ',') at = afterSpace(text, at + 1);
  }
  return undefined;
};

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/**
 * Where a JSON pointer (RFC 6901) leads in a text; for a member that is missing, where the object begins that lacks it. Undefined for
 * the whole text, and for a text that is no object or array.
 */
export const rangeOf = (text: string, pointer: string): TextRange | undefined => {
  const tokens = pointer.split('/').slice(1).map(unescaped);
  let [at, isMissing] = [afterSpace(text, 0), false];
  if (tokens.length === 0 || !'{['.includes(text[at] ?? '.')) return undefined;
  for (const token of tokens) {
    const child = childOf(text, at, token);
    isMissing = child === undefined;
    if (child === undefined) break;
    at = child;
  }
  const to = isMissing ? at + 1 : afterValue(text, at);
  return { from: at, to, line: text.slice(0, at).split('\n').length };
};
