import { jsonIn, valueAt } from './value.ts';

/**
 * A text that stands for a number a double cannot hold: it begins with half a surrogate pair, as no text of an accepted message
 * does.
 */
const mark = '\udfff';

/** The number that a text stands for, as {@link exactDecimal} writes it; undefined for any other text. */
export const exactNumberIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith(mark) ? value.slice(mark.length) : undefined;

const numberForm = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const zero = 0x30;

/** A JSON number as `<sign><digits>e<exponent>` without zeros around the digits: the same text for the same decimal value. */
const exactDecimal = (number: string): string => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = numberForm.exec(number) ?? [];
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (digits.charCodeAt(start) === zero) start++;
  if (start === end) return '0e0';
  while (digits.charCodeAt(end - 1) === zero) end--;
  const power = BigInt(exponent) + BigInt(digits.length - end - fraction.length);
  return `${sign}${digits.slice(start, end)}e${power}`;
};

/** The integer that a JSON number, or its double, or an {@link exactDecimal} is; undefined when it is no integer. */
export const integerOf = (number: string | number): bigint | undefined => {
  if (Number.isSafeInteger(number)) return BigInt(number);
  const [digits = '', power = ''] = exactDecimal(`${number}`).split('e');
  return power.startsWith('-') ? undefined : BigInt(digits) * 10n ** BigInt(power);
};

/** Strings, so that what looks like a number in one is passed over, and numbers. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

const exactDigits = 15;

/** Whether a double may not hold a number: it has more than 15 digits, or an exponent of three. */
const isLong = (number: string): boolean => number.length > exactDigits || /e[+-]?\d{3}/i.test(number);

/**
 * A valid JSON text in which a text stands in for each number that a double cannot hold; the same text when there is none.
 * {@link exactNumberIn} reads the numbers.
 */
export const withExactNumbers = (text: string): string =>
  text.replace(stringOrNumber, token => {
    if (token.startsWith('"') || !isLong(token)) return token;
    const exact = exactDecimal(token);
    return exact === exactDecimal(`${Number(token)}`) ? token : `"${mark}${exact}"`;
  });

const numberAfterName = /\s*:\s*(-?\d[\d.eE+-]*)/y;

/** Whether a member of this name may be a number that a double cannot hold. Fast: nearly always, no such number is there. */
const mayBeLong = (text: string, name: string): boolean => {
  // The name may be written with escapes.
  if (text.includes('\\u00') && /\\u00[2-7]/.test(text)) return true;
  const quoted = `"${name}"`;
  for (let at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + 1)) {
    numberAfterName.lastIndex = at + quoted.length;
    if (isLong(numberAfterName.exec(text)?.[1] ?? '')) return true;
  }
  return false;
};

/** The number at a pointer into a valid JSON text, as {@link exactDecimal} writes it, if a double cannot hold it. */
export const exactNumberAt = (text: string, pointer: string): string | undefined => {
  if (!mayBeLong(text, pointer.slice(pointer.lastIndexOf('/') + 1))) return undefined;
  return exactNumberIn(valueAt(jsonIn(withExactNumbers(text)), pointer));
};
