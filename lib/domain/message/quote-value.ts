const longest = 40;

/** The first characters of a text (40), with a mark where more followed; no character is cut in half. */
export const shorten = (text: string, most: number = longest): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;

/** The first characters of a text in quotes, on one line. */
export const quoteText = (text: string, most: number): string => JSON.stringify(shorten(text, most));

/** A value as people are shown it: scalars as JSON, at most 40 characters of them; the rest by kind. */
export const quoteValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value !== null && typeof value === 'object') return 'an object';
  if (typeof value !== 'string') return `${value}`;
  // JSON.stringify of a whole 240 KB text would be work for nothing.
  return `"${shorten(JSON.stringify(value.slice(0, longest + 1)).slice(1, -1))}"`;
};
