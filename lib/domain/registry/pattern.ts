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
