import { stringOrNumber } from './value.ts';

/**
 * Begins a text that stands for what JavaScript cannot keep. It is half a surrogate pair, as no text
 * of an accepted message begins.
 */
const mark = '\udffe';

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const hexadecimalOrOctal = /^0[xo]/;
const signAndDigits = /^\+?(-?)0*(.*)/s;
const pointWithoutDigits = /\.(?=[eE]|$)/;

/** A number of YAML as JSON has it, with the same digits. */
const inJsonForm = (source: string): string => {
  if (hexadecimalOrOctal.test(source)) return `${BigInt(source)}`;
  const [, sign = '', digits = ''] = signAndDigits.exec(source) ?? [];
  const beginsWithDigit = /^\d/.test(digits);
  const whole = beginsWithDigit ? digits : `0${digits}`;
  return sign + whole.replace(pointWithoutDigits, '');
};

/** A number, or a text that stands for it where the number would be written in another way. */
export const numberAsWritten = (value: number, source: string): number | string => {
  const written = inJsonForm(source);
  if (`${value}` === written || !jsonNumber.test(written)) return value;
  return mark + written;
};

export const isNumberAsWritten = (value: unknown): boolean =>
  typeof value === 'string' && value.startsWith(mark);

/** A name, or one that stands for it where an object would not keep its place. */
export const nameAsWritten = (name: string): string => {
  const isIndex = /^\d+$/.test(name);
  return isIndex ? mark + name : name;
};

const memberText = ([name, value]: readonly [string, unknown]): string => {
  const written = name.startsWith(mark) ? name.slice(mark.length) : name;
  return `${JSON.stringify(written)}:${textAsWritten(value)}`;
};

const tokenAsWritten = (token: string): string => {
  if (token.startsWith('"')) return token;
  return JSON.stringify(numberAsWritten(Number(token), token));
};

/** The value of a valid JSON text, of which {@link textAsWritten} gives all digits. */
export const jsonAsWritten = (text: string): unknown =>
  JSON.parse(text.replace(stringOrNumber, tokenAsWritten));

/** As {@link stringOrNumber}; a member's name with its colon. */
const nameOrToken = /"(?:[^"\\]|\\.)*(?:"(?:\s*:)?)?|-?\d[\d.eE+-]*/g;

const inPlace = (token: string): string => {
  if (!token.endsWith(':')) return tokenAsWritten(token);
  const name: string = JSON.parse(token.slice(0, -1));
  return `${JSON.stringify(nameAsWritten(name))}:`;
};

/** As {@link jsonAsWritten}; {@link textAsWritten} gives the members in their order, too. */
export const jsonInOrder = (text: string): unknown =>
  JSON.parse(text.replace(nameOrToken, inPlace));

/** The JSON text of a value: its numbers with every digit, and its members in their order. */
export const textAsWritten = (value: unknown): string => {
  if (typeof value === 'string' && value.startsWith(mark)) return value.slice(mark.length);
  if (Array.isArray(value)) return `[${value.map(textAsWritten).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${members.map(memberText).join(',')}}`;
};
