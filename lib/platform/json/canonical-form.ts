import { limits } from '../../contract/limits.ts';
import { jsonIn, stringOrNumber, valueAt } from './value.ts';

/**
 * A text that stands for a number a double cannot hold: it begins with half a surrogate pair, as no
 * text of an accepted message does.
 */
const mark = '\udfff';

/**
 * The number that a text stands for, as {@link exactDecimal} writes it; undefined for any other
 * text.
 */
const exactNumberIn = (value: unknown): string | undefined => {
  if (typeof value === 'string' && value.startsWith(mark)) return value.slice(mark.length);
  return undefined;
};

const numberForm = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const zero = 0x30;

/**
 * A JSON number as `<sign><digits>e<exponent>` without zeros around the digits: the same text for
 * the same decimal value.
 */
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

/**
 * The integer that a JSON number, or its double, or an {@link exactDecimal} is; undefined when it
 * is no integer.
 */
export const integerOf = (number: string | number): bigint | undefined => {
  if (Number.isSafeInteger(number)) return BigInt(number);
  const [digits = '', power = ''] = exactDecimal(`${number}`).split('e');
  if (power.startsWith('-')) return undefined;
  return BigInt(digits) * 10n ** BigInt(power);
};

const exactDigits = 15;

/** Whether a double may not hold a number: it has more than 15 digits, or an exponent of three. */
const isLong = (number: string): boolean =>
  number.length > exactDigits || /e[+-]?\d{3}/i.test(number);

/**
 * A valid JSON text in which a text stands in for each number that a double cannot hold; the same
 * text when there is none. {@link exactNumberIn} reads the numbers.
 */
const withExactNumbers = (text: string): string =>
  text.replace(stringOrNumber, token => {
    if (token.startsWith('"') || !isLong(token)) return token;
    const exact = exactDecimal(token);
    if (exact === exactDecimal(`${Number(token)}`)) return token;
    return `"${mark}${exact}"`;
  });

const numberAfterName = /\s*:\s*(-?\d[\d.eE+-]*)/y;

/**
 * Whether a member of this name may be a number that a double cannot hold. Fast: nearly always, no
 * such number is there.
 */
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

/**
 * The number at a pointer into a valid JSON text, as {@link exactDecimal} writes it, if a double
 * cannot hold it.
 */
export const exactNumberAt = (text: string, pointer: string): string | undefined => {
  if (!mayBeLong(text, pointer.slice(pointer.lastIndexOf('/') + 1))) return undefined;
  return exactNumberIn(valueAt(jsonIn(withExactNumbers(text)), pointer));
};

/**
 * Numbers that JSON can also write in fewer characters: 1e3 for 1000, 1e-3 for 0.001, 1e21 for
 * 1e+21.
 */
const longNumber = /000$|^-?0\.00|e/;

class Measurement {
  members = 0;
  characters = 0;
  finite = true;
  deep = false;
  #depth = 0;

  value(value: unknown): void {
    // The two quotes are counted, escapes are not: a text with escapes is longer.
    if (typeof value === 'string') this.characters += value.length + 2;
    else if (typeof value === 'number') this.#number(value);
    else if (value === null || typeof value !== 'object') this.characters += `${value}`.length;
    else this.#nested(value);
  }

  #number(value: number): void {
    if (!Number.isFinite(value)) this.finite = false;
    const text = value === 0 ? '0' : `${value}`;
    this.characters += longNumber.test(text) ? 1 : text.length;
  }

  #nested(value: object): void {
    if (this.#depth === limits.messageDepth) {
      this.deep = true;
      return;
    }
    this.#depth++;
    if (Array.isArray(value)) this.#array(value);
    else this.#object(value);
    this.#depth--;
  }

  #array(items: readonly unknown[]): void {
    // The brackets, and the commas between.
    this.characters += Math.max(2, items.length + 1);
    for (let i = 0; i < items.length; i++) this.value(items[i]);
  }

  #object(object: object): void {
    const names = Object.keys(object);
    this.members += names.length;
    this.characters += Math.max(2, names.length + 1);
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      this.characters += name.length + 3;
      this.value((object as Record<string, unknown>)[name]);
    }
  }
}

export interface Measure {
  /** No number is infinite, and nothing is nested beyond the limit. */
  readonly sound: boolean;
  readonly members: number;
  /** A lower bound for the length of a JSON text of this value, in UTF-16 code units. */
  readonly shortest: number;
}

export const measure = (value: unknown): Measure => {
  const measurement = new Measurement();
  measurement.value(value);
  const { members, characters, finite, deep } = measurement;
  return { sound: finite && !deep, members, shortest: characters };
};

/** The RFC 8785 form of a value that JSON.parse returned. Its nesting is limited. */
export const canonicalForm = (value: unknown): string => {
  if (typeof value === 'string') return exactNumberIn(value) ?? JSON.stringify(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalForm).join(',')}]`;
  const object = value as Readonly<Record<string, unknown>>;
  // The default order of sort() is that of UTF-16 code units, as RFC 8785 section 3.2.3 asks.
  const names = Object.keys(object).sort();
  return `{${names.map(name => `${JSON.stringify(name)}:${canonicalForm(object[name])}`).join(',')}}`;
};

/**
 * What a valid JSON text says, however it is serialised: its canonical form, with each number to
 * its last digit.
 */
const contentOf = (json: Uint8Array): string =>
  canonicalForm(jsonIn(withExactNumbers(Buffer.from(json).toString('utf8'))));

/**
 * Whether two valid JSON texts say the same: the same members with the same values, numbers to the
 * last digit.
 */
export const isSameContent = (a: Uint8Array, b: Uint8Array): boolean =>
  contentOf(a) === contentOf(b);

/**
 * A value in which a text stands in for each number that a double cannot hold; undefined when the
 * text is not JSON.
 */
export const exactJsonIn = (text: string): unknown =>
  jsonIn(text) === undefined ? undefined : jsonIn(withExactNumbers(text));

/**
 * The indexes of two equal items of an array, or undefined. Items are compared as JSON Schema does:
 * the order of members does not count. Takes linear time, where ajv's own `uniqueItems` takes
 * quadratic time.
 */
export const duplicateItems = (items: readonly unknown[]): { i: number; j: number } | undefined => {
  if (items.length < 2) return undefined;
  const places = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const form = canonicalForm(item);
    const j = places.get(form);
    if (j !== undefined) return { i, j };
    places.set(form, i);
  }
  return undefined;
};
