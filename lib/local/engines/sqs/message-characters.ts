// Unicode mode sees a lone surrogate as a code point of its own: it is not in the set either.
const notAllowed = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** What is wrong with a body's characters, if anything (AWS docs, "Amazon SQS message quotas"). */
export function invalidCharacter(text: string): string | undefined {
  const found = notAllowed.exec(text)?.[0].codePointAt(0);
  if (found === undefined) return undefined;
  return (
    `Invalid binary character '#x${found.toString(16).toUpperCase()}' was found, the set of allowed characters is ` +
    '#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF'
  );
}
