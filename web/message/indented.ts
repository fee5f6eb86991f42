const isOpening = (token: string): boolean => token === '{' || token === '[';
const isClosing = (token: string): boolean => token === '}' || token === ']';

/** Deeper levels are not moved further to the right: ten thousand of them would be more white space than text. */
const maxIndent = 64;

/** What stands between two tokens. */
const space = /[\t\n\r ]+/y;

/** A number or a word. */
const plain = /[^{}[\]:,\s"]+/y;

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
};

/** Where a string that starts at a quote ends. */
const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at + 1;
  }
  return text.length;
};

/** The token of a JSON text that begins at a place, as it was written. */
const tokenAt = (text: string, at: number): string =>
  text[at] === '"'
    ? text.slice(at, endOfString(text, at))
    : text.slice(at, Math.max(at + 1, endOf(plain, text, at)));

/**
 * A JSON text with a line for each member, and every token as it was written: parsing it would change numbers such as `1.0`, and
 * drop repeated members.
 */
export const indented = (text: string): string => {
  const lines: string[] = [];
  let [line, depth, before] = ['', 0, ''];
  for (let at = endOf(space, text, 0); at < text.length; at = endOf(space, text, at)) {
    const token = tokenAt(text, at);
    at += token.length;
    const closes = isClosing(token);
    if (closes) depth = Math.max(0, depth - 1);
    if (closes ? !isOpening(before) : isOpening(before) || before === ',') {
      lines.push(line);
      line = '  '.repeat(Math.min(depth, maxIndent));
    }
    line += token === ':' ? ': ' : token;
    if (isOpening(token)) depth += 1;
    before = token;
  }
  lines.push(line);
  return lines.join('\n');
};

/** The bytes of base64. */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), character => character.charCodeAt(0));
