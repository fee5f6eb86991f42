import { invalid, unsupported } from './requests.ts';

/*
 * Of DynamoDB's numbers (38 digits; Amazon DynamoDB Developer Guide, "Supported data types and
 * naming rules") those that JavaScript has exactly and writes without an exponent: safe integers,
 * and others of up to 15 digits.
 */

const maxDigits = 15;
const maxMagnitude = 1e21;
const minMagnitude = 1e-6;

const pattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const short = /^(?:0|-?[1-9]\d{0,14})$/;

/** How many digits a number has without the zeros around them. */
const significantDigits = (text: string): number => {
  const [mantissa = ''] = text.split(/e/i);
  const digits = mantissa.replace(/[^\d]/g, '').replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end;
};

const textOfNumber = (value: number): string => {
  const magnitude = Math.abs(value);
  if (value !== 0 && !(magnitude < maxMagnitude && magnitude >= minMagnitude))
    throw unsupported('numbers with so large an exponent');
  return String(value);
};

/**
 * The text of a number as DynamoDB returns it: no exponent, no superfluous zeros.
 *
 * @throws AwsError if the text is not a number, or not one that is kept here
 */
export const canonicalNumber = (text: string): string => {
  if (short.test(text)) return text;
  if (!pattern.test(text)) {
    const suffix = text === '' ? '' : `: ${text}`;
    throw invalid(`The parameter cannot be converted to a numeric value${suffix}`);
  }
  const value = Number(text);
  if (!Number.isSafeInteger(value) && significantDigits(text) > maxDigits)
    throw unsupported(`numbers with more than ${maxDigits} digits`);
  return textOfNumber(value);
};

/** The sum of two canonical numbers. @throws AwsError if it is not kept here exactly */
export const addNumbers = (a: string, b: string): string => {
  const sum = Number(a) + Number(b);
  if (Number.isSafeInteger(sum)) return String(sum);
  const rounded = Number(sum.toPrecision(maxDigits));
  if (Number.isInteger(sum) && rounded !== sum) throw unsupported('numbers of that size');
  return textOfNumber(rounded);
};

export const negatedNumber = (canonical: string): string => {
  if (canonical === '0') return canonical;
  if (canonical.startsWith('-')) return canonical.slice(1);
  return `-${canonical}`;
};

/**
 * Bytes that sort as the numbers do: those of the double, with the sign turned, and all of them
 * below zero.
 */
export const numberKey = (canonical: string): Uint8Array => {
  const bytes = new Uint8Array(8);
  const value = Number(canonical);
  new DataView(bytes.buffer).setFloat64(0, value);
  if (value < 0) return bytes.map(byte => 255 - byte);
  return bytes.with(0, (bytes[0] ?? 0) + 128);
};

/** The size of a number in an item: a byte for two digits, one more, and one for a sign. */
export const numberBytes = (canonical: string): number => {
  const digits = significantDigits(canonical);
  if (digits === 0) return 1;
  return Math.ceil(digits / 2) + 1 + (canonical.startsWith('-') ? 1 : 0);
};
