import { type Attributes, setAttribute, type Value } from './values.ts';

/*
 * How an item is stored: its JSON text, and the bytes of its binary values one after another, which are neither encoded nor read
 * where nobody asks for them. Most values are the JSON value of their kind, which is shorter than DynamoDB's form.
 */

/** A place among the bytes. */
type BytesAt = readonly [start: number, length: number];

type Encoded =
  /** A text, or a number that JavaScript writes as DynamoDB does. */
  | string
  | number
  | boolean
  | null
  | readonly Encoded[]
  | { readonly M: Readonly<Record<string, Encoded>> }
  | { readonly B: BytesAt }
  | Extract<Value, { N: unknown } | { SS: unknown } | { NS: unknown }>;

type LeftOut = (name: string, value: Value) => boolean;

/** Gathers the bytes of an item. */
class Encoder {
  readonly parts: Uint8Array[] = [];
  #length = 0;

  map(attributes: Attributes, isLeftOut?: LeftOut): Readonly<Record<string, Encoded>> {
    const map: Record<string, Encoded> = {};
    for (const [name, value] of Object.entries(attributes))
      if (isLeftOut?.(name, value) !== true) setAttribute(map, name, this.#value(value));
    return map;
  }

  #value(value: Value): Encoded {
    if ('S' in value) return value.S;
    if ('N' in value) return String(Number(value.N)) === value.N ? Number(value.N) : value;
    if ('M' in value) return { M: this.map(value.M) };
    if ('L' in value) return value.L.map(member => this.#value(member));
    if ('B' in value) return { B: this.#bytes(value.B) };
    if ('BOOL' in value) return value.BOOL;
    return 'NULL' in value ? null : value;
  }

  #bytes(bytes: Uint8Array): BytesAt {
    this.parts.push(bytes);
    this.#length += bytes.length;
    return [this.#length - bytes.length, bytes.length];
  }
}

/** @param isLeftOut which attributes are kept elsewhere */
export const encodeAttributes = (
  attributes: Attributes,
  isLeftOut?: LeftOut,
): { readonly text: string; readonly bytes: Uint8Array | null } => {
  const encoder = new Encoder();
  const text = JSON.stringify(encoder.map(attributes, isLeftOut));
  const { parts } = encoder;
  if (parts.length === 0) return { text, bytes: null };
  return { text, bytes: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts) };
};

const none = new Uint8Array(0);

/** The bytes at a place, in memory that nothing else uses. */
const slice = (bytes: Uint8Array, [start, length]: BytesAt): Uint8Array =>
  new Uint8Array(bytes.subarray(start, start + length));

const decodeValue = (value: Encoded, bytes: Uint8Array): Value => {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (isList(value)) return { L: value.map(member => decodeValue(member, bytes)) };
  if ('M' in value) return { M: decodeMap(value.M, bytes) };
  if ('B' in value) return { B: slice(bytes, value.B) };
  return value;
};

const isList = (value: Encoded): value is readonly Encoded[] => Array.isArray(value);

const decodeMap = (map: Readonly<Record<string, Encoded>>, bytes: Uint8Array): Record<string, Value> => {
  const attributes: Record<string, Value> = {};
  for (const [name, value] of Object.entries(map)) setAttribute(attributes, name, decodeValue(value, bytes));
  return attributes;
};

/** What {@link encodeAttributes} was given, new for every caller. */
export const decodeAttributes = (text: string, bytes: Uint8Array | null): Record<string, Value> =>
  decodeMap(JSON.parse(text), bytes ?? none);
