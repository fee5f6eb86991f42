import { limits } from '../../contract/limits.ts';
import { shapeOf } from './object-shape.ts';

/** Characters that JSON.stringify writes as escapes: any other string stands for itself between quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be found
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Canonical numbers that JSON can also say in fewer characters: 1e3 for 1000, 1e-3 for 0.001, 1e21 for 1e+21. */
const longNumber = /000$|^-?0\.00|e/;

class CanonicalWriter {
  members = 0;
  finite = true;
  deep = false;
  /** Characters that the numbers may save in another form, at most. */
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
  /** Of no use unless the value is `sound`. */
  readonly text: string;
  /** No number is infinite, for which RFC 8785 has no form, and nothing is nested beyond the limit. */
  readonly sound: boolean;
  /** How many members its objects have, all together. */
  readonly members: number;
  /** No JSON text of this value is shorter, in UTF-16 code units. */
  readonly shortest: number;
}

/**
 * The RFC 8785 form of a value that JSON.parse returned. `unescaped` says that the value's JSON text held no
 * backslash: then no string of it needs an escape.
 */
export const canonicalForm = (value: unknown, { unescaped = false } = {}): CanonicalForm => {
  const writer = new CanonicalWriter(unescaped);
  const text = writer.value(value);
  const { finite, deep, members, spare } = writer;
  return { text, sound: finite && !deep, members, shortest: text.length - spare };
};
