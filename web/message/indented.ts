/** A token of a JSON text, as it was written; a string may be cut off. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]:,]|[^{}[\]:,"\t\n\r ]+/gs;

/** The tokens of a JSON text, each with its place; a text that is no JSON has some, too. */
export const tokensIn = (text: string): readonly RegExpExecArray[] => [...text.matchAll(token)];

export const isOpening = (one: string): boolean => one === '{' || one === '[';
export const isClosing = (one: string): boolean => one === '}' || one === ']';

/**
 * Deeper levels are not moved further to the right: ten thousand of them would be more white space
 * than text.
 */
const maxIndent = 64;

/** Whether a token stands on a line of its own: an empty object or list stays on one. */
const beginsLine = (token: string, before: string): boolean => {
  if (isClosing(token)) return !isOpening(before);
  return isOpening(before) || before === ',';
};

/**
 * A JSON text with a line for each member, and every token as it was written: parsing it would
 * change numbers such as `1.0`, and drop repeated members.
 */
export const indented = (text: string): string => {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  let before = '';
  for (const [token] of tokensIn(text)) {
    if (isClosing(token)) depth = Math.max(0, depth - 1);
    if (beginsLine(token, before)) {
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
