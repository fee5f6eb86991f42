const form = /^(?:\*|[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*(?:\.\*)?)$/;
const longest = 256;

/** Whether a text is a grant or subscription: an exact type, `family.*` or `*`. */
export const isPattern = (text: string): boolean => text.length <= longest && form.test(text);

/**
 * Whether a message type falls under a grant or subscription: an exact type, `family.*` (everything that
 * starts with `family.`), or `*`.
 */
export const matches = (pattern: string, messageType: string): boolean =>
  pattern === '*' ||
  pattern === messageType ||
  (pattern.endsWith('.*') && messageType.startsWith(pattern.slice(0, -1)));

export const matchesAny = (patterns: readonly string[], messageType: string): boolean =>
  patterns.some(pattern => matches(pattern, messageType));

/** Whether there can be a message type that falls under both. */
export const overlaps = (one: string, other: string): boolean => matches(one, other) || matches(other, one);
