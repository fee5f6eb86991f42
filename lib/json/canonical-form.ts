import { limits } from '../contract/limits.ts';

/** The member names of an object, and their canonical form. */
export interface Shape {
  readonly keys: readonly string[];
  readonly sorted: readonly string[];
  /** The text before each member's value in the canonical form: `{"a":`, then `,"b":`, and so on. */
  readonly openings: readonly string[];
}

// Messages of one kind have the same shapes. Most of the cost of a canonical form is sorting, so each shape is sorted once.
// The memory is bounded: hostile member names must not fill it.
const maxShapesPerName = 16;
const maxNames = 512;
const maxNameLength = 64;
const maxKeys = 64;

const known = new Map<string, Shape[]>();

const newShape = (keys: readonly string[]): Shape => {
  // The default order of sort() is that of UTF-16 code units, as RFC 8785 section 3.2.3 asks.
  const sorted = [...keys].sort();
  const openings = sorted.map((key, i) => `${i === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  return { keys, sorted, openings };
};

const hasKeys = (shape: Shape, keys: readonly string[]): boolean => {
  if (shape.keys.length !== keys.length) return false;
  for (let i = 0; i < keys.length; i++) if (shape.keys[i] !== keys[i]) return false;
  return true;
};

const remember = (first: string, shape: Shape): void => {
  const { keys } = shape;
  if (keys.length > maxKeys || keys.some(key => key.length > maxNameLength)) return;
  const shapes = known.get(first);
  if (shapes !== undefined && shapes.length < maxShapesPerName) {
    shapes.push(shape);
    return;
  }
  if (known.size >= maxNames) known.clear();
  known.set(first, [shape]);
};

/** The shape of an object with these members. Remembers recent shapes. */
const shapeOf = (keys: readonly string[]): Shape => {
  const first = keys[0] ?? '';
  const shapes = known.get(first);
  if (shapes !== undefined) for (const shape of shapes) if (hasKeys(shape, keys)) return shape;
  const shape = newShape(keys);
  remember(first, shape);
  return shape;
};

/** Characters that JSON.stringify writes as escapes: any other string stands for itself between quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern has to find control characters
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Canonical numbers that JSON can also write in fewer characters: 1e3 for 1000, 1e-3 for 0.001, 1e21 for 1e+21. */
const longNumber = /000$|^-?0\.00|e/;

class CanonicalWriter {
  members = 0;
  finite = true;
  deep = false;
  /** The maximum number of characters that writing the numbers differently could save. */
  spare = 0;
  readonly #unescaped: boolean;
  #depth = 0;

  constructor(unescaped: boolean) {
    this.#unescaped = unescaped;
  }

  value(value: unknown): string {
    if (typeof value === 'string') {
      return this.#unescaped || !escaped.test(value) ? `"${value}"` : JSON.stringify(value);
    }
    if (typeof value === 'number') return this.#number(value);
    return value === null || typeof value !== 'object' ? `${value}` : this.#nested(value);
  }

  #number(value: number): string {
    if (!Number.isFinite(value)) this.finite = false;
    const text = value === 0 ? '0' : `${value}`;
    if (longNumber.test(text)) this.spare += text.length - 1;
    return text;
  }

  #nested(value: object): string {
    if (this.#depth === limits.messageDepth) {
      this.deep = true;
      return '';
    }
    this.#depth++;
    const text = Array.isArray(value) ? this.#array(value) : this.#object(value);
    this.#depth--;
    return text;
  }

  #array(items: readonly unknown[]): string {
    let text = '[';
    for (let i = 0; i < items.length; i++)
      text += i === 0 ? this.value(items[i]) : `,${this.value(items[i])}`;
    return `${text}]`;
  }

  #object(object: object): string {
    const { sorted, openings } = shapeOf(Object.keys(object));
    if (sorted.length === 0) return '{}';
    this.members += sorted.length;
    let text = '';
    for (let i = 0; i < sorted.length; i++) {
      text += openings[i] + this.value((object as Record<string, unknown>)[sorted[i] as string]);
    }
    return `${text}}`;
  }
}

export interface CanonicalForm {
  /** Only to be used if the value is `sound`. */
  readonly text: string;
  /** No number is infinite (RFC 8785 has no form for that), and nothing is nested beyond the limit. */
  readonly sound: boolean;
  /** The number of members in all its objects. */
  readonly members: number;
  /** A lower bound for the length of a JSON text of this value, in UTF-16 code units. */
  readonly shortest: number;
}

/**
 * The RFC 8785 form of a value that JSON.parse returned.
 *
 * @param options `unescaped`: the JSON text had no backslash, so no string needs an escape
 */
export const canonicalForm = (value: unknown, { unescaped = false } = {}): CanonicalForm => {
  const writer = new CanonicalWriter(unescaped);
  const text = writer.value(value);
  const { finite, deep, members, spare } = writer;
  return { text, sound: finite && !deep, members, shortest: text.length - spare };
};

/**
 * The indexes of two equal items of an array, or undefined. Items are compared as JSON Schema does: the order of members does
 * not count. Takes linear time, where ajv's own `uniqueItems` takes quadratic time.
 */
export const duplicateItems = (items: readonly unknown[]): { i: number; j: number } | undefined => {
  const places = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const form = canonicalForm(item).text;
    const j = places.get(form);
    if (j !== undefined) return { i, j };
    places.set(form, i);
  }
  return undefined;
};
