import { AwsError, objectInput, protocolErrors } from '../aws-json/input.ts';
import { canonicalNumber, numberBytes } from './numbers.ts';
import { unsupported } from './requests.ts';

/** A value of an attribute: numbers are canonical. */
export type Value =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: Uint8Array }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly L: readonly Value[] }
  | { readonly M: Attributes };

/**
 * Attributes by name. Names may be anything, `__proto__` too: read with {@link attributeOf}, write
 * with {@link setAttribute}.
 */
export type Attributes = Readonly<Record<string, Value>>;

export const attributeOf = (attributes: Attributes, name: string): Value | undefined =>
  Object.hasOwn(attributes, name) ? attributes[name] : undefined;

export const setAttribute = <T = Value>(
  attributes: Record<string, T>,
  name: string,
  value: T,
): void => {
  if (name !== '__proto__') attributes[name] = value;
  else
    Object.defineProperty(attributes, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
};

const wrongType = (what: string) => new AwsError(protocolErrors.serialization, what);

const text = (input: unknown): string => {
  if (typeof input !== 'string')
    throw wrongType('An attribute value of type S or N must be a string');
  // UTF-8 has no lone surrogates: on the wire they would be replaced.
  return input.replace(/[\ud800-\udfff]/gu, '\ufffd');
};

/** Bytes of a caller in this process are not copied: nothing keeps them after the call. */
const bytes = (input: unknown): Uint8Array => {
  if (!(input instanceof Uint8Array)) return new Uint8Array(Buffer.from(text(input), 'base64'));
  if (input.constructor === Uint8Array) return input;
  return new Uint8Array(input.buffer, input.byteOffset, input.length);
};

const list = (input: unknown): readonly unknown[] => {
  if (Array.isArray(input)) return input;
  throw wrongType('An attribute value of type L or of a set must be a list');
};

const number = (input: unknown): string => canonicalNumber(text(input));

const readers: Readonly<Record<string, (input: unknown) => Value>> = {
  S: input => ({ S: text(input) }),
  N: input => ({ N: number(input) }),
  B: input => ({ B: bytes(input) }),
  BOOL: input => ({ BOOL: input === true }),
  NULL: () => ({ NULL: true }),
  SS: input => ({ SS: list(input).map(text) }),
  NS: input => ({ NS: list(input).map(number) }),
  L: input => ({ L: list(input).map(readValue) }),
  M: input => ({ M: readAttributes(input) }),
};

/** A value of a request, checked and made canonical. */
export const readValue = (input: unknown): Value => {
  for (const [type, content] of Object.entries(objectInput(input, 'An attribute value')))
    if ((content ?? undefined) !== undefined) {
      const read = readers[type];
      if (read) return read(content);
    }
  throw unsupported('attribute values without a type, or of another than those of the bus');
};

export const readAttributes = (input: unknown): Attributes => {
  const attributes: Record<string, Value> = {};
  const object = objectInput(input, 'A map of attributes');
  for (const name of Object.keys(object)) setAttribute(attributes, name, readValue(object[name]));
  return attributes;
};

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

const textBytes = (content: string): number => Buffer.byteLength(content);

/** Lists and maps: three bytes, and one for each member. */
const documentBytes = 3;
const memberBytes = 1;

/**
 * The size of a value as DynamoDB counts it (Developer Guide, "DynamoDB item sizes and formats").
 */
const valueBytes = (value: Value): number => {
  if ('S' in value) return textBytes(value.S);
  if ('N' in value) return numberBytes(value.N);
  if ('B' in value) return value.B.length;
  if ('BOOL' in value || 'NULL' in value) return 1;
  if ('SS' in value) return sum(value.SS.map(textBytes));
  if ('NS' in value) return sum(value.NS.map(numberBytes));
  if ('L' in value)
    return documentBytes + sum(value.L.map(member => memberBytes + valueBytes(member)));
  return documentBytes + itemBytes(value.M) + memberBytes * Object.keys(value.M).length;
};

export const itemBytes = (attributes: Attributes): number =>
  sum(Object.entries(attributes).map(([name, value]) => textBytes(name) + valueBytes(value)));

/**
 * The order of two values of one ordered type (S, N or B); undefined for any other pair. UTF-16
 * code units sort surrogates before U+E000 to U+FFFF; UTF-8 bytes sort them after.
 */
export const compareValues = (a: Value, b: Value): number | undefined => {
  if ('S' in a && 'S' in b) return Buffer.compare(Buffer.from(a.S), Buffer.from(b.S));
  if ('N' in a && 'N' in b) return Number(a.N) - Number(b.N);
  if ('B' in a && 'B' in b) return Buffer.compare(a.B, b.B);
  return undefined;
};

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && new Set([...a, ...b]).size === a.length;

const sameMaps = (a: Attributes, b: Attributes): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([name, value]) => areSame(value, attributeOf(b, name)));

const areSame = (a: Value, b: Value | undefined): boolean => b !== undefined && sameValues(a, b);

export const sameValues = (a: Value, b: Value): boolean => {
  if ('SS' in a) return 'SS' in b && sameTexts(a.SS, b.SS);
  if ('NS' in a) return 'NS' in b && sameTexts(a.NS, b.NS);
  if ('L' in a)
    return (
      'L' in b && a.L.length === b.L.length && a.L.every((member, at) => areSame(member, b.L[at]))
    );
  if ('M' in a) return 'M' in b && sameMaps(a.M, b.M);
  if ('BOOL' in a) return 'BOOL' in b && a.BOOL === b.BOOL;
  if ('NULL' in a) return 'NULL' in b;
  return compareValues(a, b) === 0;
};

/** The members of both sets; undefined when they have different types. */
export const unionOf = (a: Value, b: Value): Value | undefined => {
  if ('SS' in a && 'SS' in b) return { SS: [...new Set([...a.SS, ...b.SS])] };
  if ('NS' in a && 'NS' in b) return { NS: [...new Set([...a.NS, ...b.NS])] };
  return undefined;
};

/**
 * The members of `a` that `b` has not: `empty` when there are none, undefined when the types
 * differ.
 */
export const differenceOf = (a: Value, b: Value): Value | 'empty' | undefined => {
  if ('SS' in a && 'SS' in b) {
    const SS = a.SS.filter(member => !b.SS.includes(member));
    return SS.length === 0 ? 'empty' : { SS };
  }
  if ('NS' in a && 'NS' in b) {
    const NS = a.NS.filter(member => !b.NS.includes(member));
    return NS.length === 0 ? 'empty' : { NS };
  }
  return undefined;
};
