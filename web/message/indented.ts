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

/** The break before a line, by its level. */
const newLines = Array.from({ length: maxIndent + 1 }, (_, depth) => `\n${'  '.repeat(depth)}`);

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
  let shown = '';
  let depth = 0;
  let before = '';
  // Their texts alone: 80,000 matches with their places take longer than a frame.
  for (const one of text.match(token) ?? []) {
    if (isClosing(one)) depth = Math.max(0, depth - 1);
    if (beginsLine(one, before)) shown += newLines[Math.min(depth, maxIndent)];
    shown += one === ':' ? ': ' : one;
    if (isOpening(one)) depth += 1;
    before = one;
  }
  return shown;
};

/** The bytes of base64. */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => {
  const characters = atob(base64);
  const bytes = new Uint8Array(characters.length);
  // To call a function for each of 240,000 characters takes half a frame.
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
};
