/** Characters that JSON.stringify writes as escapes: any other string stands for itself between quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be found
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

const quote = (text: string): string => (escaped.test(text) ? JSON.stringify(text) : `"${text}"`);

/** The members of objects that name the same members in the same order, sorted, with their text. */
interface Shape {
  readonly keys: readonly string[];
  readonly sorted: readonly string[];
  readonly openings: readonly string[];
}

const newShape = (keys: readonly string[]): Shape => {
  const sorted = [...keys].sort();
  return { keys, sorted, openings: sorted.map((key, i) => `${i === 0 ? '{' : ','}${quote(key)}:`) };
};

const hasKeys = (shape: Shape, keys: readonly string[]): boolean => {
  if (shape.keys.length !== keys.length) return false;
  for (let i = 0; i < keys.length; i++) if (shape.keys[i] !== keys[i]) return false;
  return true;
};

/** Writes values in canonical form. The objects of one message share few shapes: each is sorted once. */
class CanonicalWriter {
  members = 0;
  finite = true;
  readonly #shapes = new Map<string, Shape>();
  readonly #quote: (text: string) => string;

  constructor(quoteText: (text: string) => string) {
    this.#quote = quoteText;
  }

  value(value: unknown): string {
    if (typeof value === 'string') return this.#quote(value);
    if (typeof value === 'number') return this.#number(value);
    if (Array.isArray(value)) return this.#array(value);
    return value === null || typeof value !== 'object' ? `${value}` : this.#object(value);
  }

  #number(value: number): string {
    if (!Number.isFinite(value)) this.finite = false;
    return value === 0 ? '0' : `${value}`;
  }

  #array(items: readonly unknown[]): string {
    let text = '[';
    for (let i = 0; i < items.length; i++)
      text += i === 0 ? this.value(items[i]) : `,${this.value(items[i])}`;
    return `${text}]`;
  }

  #object(object: object): string {
    const { sorted, openings } = this.#shapeOf(Object.keys(object));
    if (sorted.length === 0) return '{}';
    this.members += sorted.length;
    let text = '';
    for (let i = 0; i < sorted.length; i++) {
      text += openings[i] + this.value((object as Record<string, unknown>)[sorted[i] as string]);
    }
    return `${text}}`;
  }

  #shapeOf(keys: readonly string[]): Shape {
    const first = keys[0] ?? '';
    const known = this.#shapes.get(first);
    if (known !== undefined && hasKeys(known, keys)) return known;
    const shape = newShape(keys);
    this.#shapes.set(first, shape);
    return shape;
  }
}

export interface CanonicalForm {
  readonly text: string;
  /** How many members its objects have, all together. */
  readonly members: number;
  /** False when a number is infinite, for which RFC 8785 has no form: `text` is then of no use. */
  readonly finite: boolean;
}

/**
 * The RFC 8785 form of a value that JSON.parse returned, nested no deeper than the stack allows.
 * `unescaped` says that the value's JSON text held no backslash: then no string of it needs an escape.
 */
export const canonicalForm = (value: unknown, { unescaped = false } = {}): CanonicalForm => {
  const writer = new CanonicalWriter(unescaped ? text => `"${text}"` : quote);
  return { text: writer.value(value), members: writer.members, finite: writer.finite };
};
