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

/**
 * A JSON text with a line for each member, and every token as it was written: parsing it would change numbers such as `1.0`, and
 * drop repeated members.
 */
export const indented = (text: string): string => {
  const parts: string[] = [];
  let depth = 0;
  const newLine = () => parts.push(`\n${'  '.repeat(depth)}`);
  for (let at = 0; at < text.length; ) {
    const character = text[at] ?? '';
    const end = character === '"' ? endOfString(text, at) : at + 1;
    const isEmpty = closing.has(character) && opening.has(parts.at(-2) ?? '');
    if (closing.has(character)) {
      depth = Math.max(0, depth - 1);
      if (isEmpty) parts.pop();
      else newLine();
    }
    if (!/\s/.test(character)) parts.push(text.slice(at, end));
    if (opening.has(character)) depth += 1;
    if (opening.has(character) || character === ',') newLine();
    if (character === ':') parts.push(' ');
    at = end;
  }
  return parts.join('');
};

/** The bytes of base64. */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), character => character.charCodeAt(0));
