/**
 * Begins a text that stands for what JavaScript cannot keep. It is half a surrogate pair, as no text
 * of an accepted message begins.
 */
const mark = '\udffe';

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number, or a text that stands for it where the number would be written in another way. */
export const numberAsWritten = (value: number, source: string): number | string =>
  `${value}` === source || !jsonNumber.test(source) ? value : mark + source;

/** A name, or one that stands for it where an object would not keep its place. */
export const nameAsWritten = (name: string): string => (/^\d+$/.test(name) ? mark + name : name);

const memberText = ([name, value]: readonly [string, unknown]): string => {
  const written = name.startsWith(mark) ? name.slice(mark.length) : name;
  return `${JSON.stringify(written)}:${textAsWritten(value)}`;
};

/** The JSON text of a value: its numbers with every digit, and its members in their order. */
export const textAsWritten = (value: unknown): string => {
  if (typeof value === 'string' && value.startsWith(mark)) return value.slice(mark.length);
  if (Array.isArray(value)) return `[${value.map(textAsWritten).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(memberText).join(',')}}`;
};
