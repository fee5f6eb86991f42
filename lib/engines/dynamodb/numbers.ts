import { invalid } from './requests.ts';

/*
 * DynamoDB's numbers: up to 38 significant digits, exactly; magnitudes from 1E-130 to 9.99...E+125
 * (Amazon DynamoDB Developer Guide, "Supported data types and naming rules").
 */

const maxDigits = 38;
const maxExponent = 125;
const minExponent = -130;

/** `0.digits × 10^exponent`, with no zero at either end of `digits`; zero has no digits. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const zero: Decimal = { negative: false, digits: '', exponent: 0 };

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Without zeros at either end. */
const decimalOf = (negative: boolean, padded: string, exponent: number): Decimal => {
  let leading = 0;
  while (padded[leading] === '0') leading += 1;
  // Not with /0+$/: it begins anew at each zero of a row that does not end the text.
  let end = padded.length;
  while (end > leading && padded[end - 1] === '0') end -= 1;
  const digits = padded.slice(leading, end);
  return digits === '' ? zero : { negative, digits, exponent: exponent - leading };
};

/** The decimal of a text; undefined when it is not a number. */
const parse = (text: string): Decimal | undefined => {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  return decimalOf(sign === '-', whole + fraction, whole.length + Number(power));
};

/** Plain notation, as DynamoDB returns numbers. */
const textOfDecimal = ({ negative, digits, exponent }: Decimal): string => {
  if (digits === '') return '0';
  const sign = negative ? '-' : '';
  if (exponent <= 0) return `${sign}0.${'0'.repeat(-exponent)}${digits}`;
  if (digits.length <= exponent) return sign + digits.padEnd(exponent, '0');
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
};

const inRange = (decimal: Decimal): Decimal => {
  const magnitude = decimal.exponent - 1;
  if (decimal.digits === '') return decimal;
  if (magnitude > maxExponent)
    throw invalid('Number overflow. Attempting to store a number with magnitude larger than supported range');
  if (magnitude < minExponent)
    throw invalid(
      'Number underflow. Attempting to store a number with magnitude smaller than supported range',
    );
  if (decimal.digits.length > maxDigits)
    throw invalid('Attempting to store more than 38 significant digits in a Number');
  return decimal;
};

const short = /^(?:0|-?[1-9]\d{0,14})$/;

/**
 * The text of a number as DynamoDB returns it: no exponent, no superfluous zeros.
 *
 * @throws AwsError if the text is not a number, or not one that DynamoDB can keep
 */
export const canonicalNumber = (text: string): string => {
  if (short.test(text)) return text;
  const decimal = parse(text);
  if (decimal !== undefined) return textOfDecimal(inRange(decimal));
  const suffix = text === '' ? '' : `: ${text}`;
  throw invalid(`The parameter cannot be converted to a numeric value${suffix}`);
};

/** The decimal of a canonical text. */
const decimal = (canonical: string): Decimal => parse(canonical) ?? zero;

const compareMagnitudes = (a: Decimal, b: Decimal): number => {
  if (a.exponent !== b.exponent) return a.exponent - b.exponent;
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -1 : 1;
};

const signOf = ({ negative, digits }: Decimal): number => (digits === '' ? 0 : negative ? -1 : 1);

/** Below zero if `a` is less than `b`. Both are canonical. */
export const compareNumbers = (a: string, b: string): number => {
  if (short.test(a) && short.test(b)) return Number(a) - Number(b);
  const [x, y] = [decimal(a), decimal(b)];
  const sign = signOf(x);
  if (sign !== signOf(y)) return sign - signOf(y);
  return sign * compareMagnitudes(x, y);
};

/** A whole number, in units of `10^-scale`. */
const scaled = ({ negative, digits, exponent }: Decimal, scale: number): bigint => {
  const units = BigInt(digits.padEnd(exponent + scale, '0') || '0');
  return negative ? -units : units;
};

/**
 * The exact sum of two canonical numbers.
 *
 * @throws AwsError if DynamoDB cannot keep it
 */
export const addNumbers = (a: string, b: string): string => {
  if (short.test(a) && short.test(b)) return canonicalNumber(String(Number(a) + Number(b)));
  const [x, y] = [decimal(a), decimal(b)];
  const scale = Math.max(x.digits.length - x.exponent, y.digits.length - y.exponent, 0);
  const sum = scaled(x, scale) + scaled(y, scale);
  const digits = String(sum < 0n ? -sum : sum);
  return textOfDecimal(inRange(decimalOf(sum < 0n, digits, digits.length - scale)));
};

export const negatedNumber = (canonical: string): string => {
  if (canonical === '0') return canonical;
  return canonical.startsWith('-') ? canonical.slice(1) : `-${canonical}`;
};

/** Two digits a byte: this is also how DynamoDB counts a number's size. */
const pairs = (digits: string): number[] => {
  const bytes: number[] = [];
  for (let at = 0; at < digits.length; at += 2)
    bytes.push(Number(digits.slice(at, at + 2).padEnd(2, '0')) + 1);
  return bytes;
};

const exponentBias = 129;

/** Bytes that sort as the numbers do: sign, exponent, digits; all but the sign are inverted below zero. */
export const numberKey = (canonical: string): Uint8Array => {
  const { negative, digits, exponent } = decimal(canonical);
  if (digits === '') return Uint8Array.of(1);
  const bytes = [exponent + exponentBias, ...pairs(digits)];
  if (!negative) return Uint8Array.of(2, ...bytes);
  // The end must sort after any further digit: of two negative numbers, the one with more digits is less.
  return Uint8Array.of(0, ...bytes.map(byte => 255 - byte), 255);
};

/** The size of a number in an item: a byte for two digits, one more, and one for a sign. */
export const numberBytes = (canonical: string): number => {
  const { negative, digits, exponent } = decimal(canonical);
  if (digits === '') return 1;
  // Pairs begin at even powers of ten.
  const shifted = exponent % 2 === 0 ? digits.length : digits.length + 1;
  return Math.ceil(shifted / 2) + 1 + (negative ? 1 : 0);
};
