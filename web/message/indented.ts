const opening: ReadonlySet<string> = new Set(['{', '[']);
const closing: ReadonlySet<string> = new Set(['}', ']']);

/** Where a string that starts at a quote ends. */
const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
};

/** A number or a word. */
const plain = /[^{}[\]:,\s"]+/y;

/** The token of a JSON text that begins at a place: as it was written, or one character of white space. */
const tokenAt = (text: string, at: number): string => {
  const character = text[at] ?? '';
  if (character === '"') return text.slice(at, endOfString(text, at));
  if (/[{}[\]:,\s]/.test(character)) return character;
  plain.lastIndex = at;
  return plain.exec(text)?.[0] ?? character;
};

/**
 * A JSON text with a line for each member, and every token as it was written: parsing it would change numbers such as `1.0`, and
 * drop repeated members.
 */
export const indented = (text: string): string => {
  const parts: string[] = [];
  let depth = 0;
  let before = '';
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at);
    at += token.length;
    if (/^\s$/.test(token)) continue;
    if (closing.has(token)) depth = Math.max(0, depth - 1);
    const isNewLine = closing.has(token) ? !opening.has(before) : opening.has(before) || before === ',';
    if (isNewLine) parts.push(`\n${'  '.repeat(depth)}`);
    parts.push(token === ':' ? ': ' : token);
    if (opening.has(token)) depth += 1;
    before = token;
  }
  return parts.join('');
};

/** The bytes of base64. */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), character => character.charCodeAt(0));
