import type { JsonObject } from '../../json/value.ts';
import { AwsError, mapOf, objectOf, protocolErrors } from '../aws-json/input.ts';
import { canonicalNumber } from './numbers.ts';
import { invalid, invalidParameter, missingMember, unsupported } from './requests.ts';

/** A value of an attribute: numbers are canonical, sets have no duplicates. */
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

/** Attributes by name. Names may be anything, `__proto__` too: read with {@link attributeOf}, write with {@link withAttribute}. */
export type Attributes = Readonly<Record<string, Value>>;

export type ValueType = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'SS' | 'NS' | 'L' | 'M';

const types: readonly ValueType[] = ['S', 'N', 'B', 'M', 'L', 'BOOL', 'NULL', 'SS', 'NS'];

export const typeOf = (value: Value): ValueType => {
  for (const type in value) return type as ValueType; // a value has exactly one member: its type
  throw new Error('A value has no type.');
};

export const attributeOf = (attributes: Attributes, name: string): Value | undefined =>
  Object.hasOwn(attributes, name) ? attributes[name] : undefined;

export const setAttribute = <T = Value>(attributes: Record<string, T>, name: string, value: T): void => {
  if (name !== '__proto__') attributes[name] = value;
  else
    Object.defineProperty(attributes, name, { value, enumerable: true, configurable: true, writable: true });
};

/** DynamoDB's maximum depth of lists and maps. */
const maxDepth = 32;

const wrongType = (what: string) => new AwsError(protocolErrors.serialization, what);

const text = (input: unknown): string => {
  if (typeof input !== 'string') throw wrongType('An attribute value of type S or N must be a string');
  // UTF-8 has no lone surrogates: on the wire they would be replaced.
  return /[\ud800-\udfff]/u.test(input) ? input.replace(/[\ud800-\udfff]/gu, '\ufffd') : input;
};

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes of a caller in this process are not copied: nothing keeps them after the call. */
const bytes = (input: unknown): Uint8Array => {
  if (input instanceof Uint8Array)
    return input.constructor === Uint8Array
      ? input
      : new Uint8Array(input.buffer, input.byteOffset, input.length);
  if (typeof input !== 'string' || !base64.test(input))
    throw wrongType('An attribute value of type B must be bytes, in base64');
  return new Uint8Array(Buffer.from(input, 'base64'));
};

const list = (input: unknown): readonly unknown[] => {
  if (Array.isArray(input)) return input;
  throw wrongType('An attribute value of type L or of a set must be a list');
};

const strings = (input: unknown): readonly string[] => {
  const members = list(input).map(text);
  if (members.length === 0) throw invalidParameter('An string set  may not be empty');
  if (new Set(members).size < members.length)
    throw invalidParameter(`Input collection [${members.join(', ')}] contains duplicates.`);
  return members;
};

const numbers = (input: unknown): readonly string[] => {
  const members = list(input).map(member => canonicalNumber(text(member)));
  if (members.length === 0) throw invalidParameter('An number set  may not be empty');
  if (new Set(members).size < members.length) throw invalid('Input collection contains duplicates');
  return members;
};

const boolean = (input: unknown): boolean => {
  if (typeof input === 'boolean') return input;
  throw wrongType('An attribute value of type BOOL or NULL must be true or false');
};

const isNull = (input: unknown): true => {
  if (boolean(input)) return true;
  throw invalidParameter('Null attribute value types must have the value of true');
};

const readTyped = (type: ValueType, input: unknown, depth: number): Value => {
  switch (type) {
    case 'S':
      return { S: text(input) };
    case 'N':
      return { N: canonicalNumber(text(input)) };
    case 'B':
      return { B: bytes(input) };
    case 'BOOL':
      return { BOOL: boolean(input) };
    case 'NULL':
      return { NULL: isNull(input) };
    case 'SS':
      return { SS: strings(input) };
    case 'NS':
      return { NS: numbers(input) };
    case 'L':
      return { L: list(input).map(member => readValue(member, depth + 1)) };
    case 'M':
      return { M: readAttributes(input, depth + 1) };
  }
};

/** A value of a request, checked and made canonical. @param depth how many lists and maps it is in */
export const readValue = (input: unknown, depth = 0): Value => {
  if (depth > maxDepth)
    throw invalid('Nesting Levels have exceeded supported limits: Attribute Value nesting level exceeds 32');
  const object = objectOf(input, 'An attribute value');
  let found: ValueType | undefined;
  for (const type of types) {
    if ((object[type] ?? undefined) === undefined) continue;
    if (found !== undefined)
      throw invalid(
        'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
      );
    found = type;
  }
  if (found !== undefined) return readTyped(found, object[found], depth);
  if ('BS' in object) throw unsupported('sets of binary values');
  throw invalid('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
};

export const readAttributes = (input: unknown, depth = 0): Attributes => {
  const attributes: Record<string, Value> = {};
  const object = objectOf(input, 'A map of attributes');
  for (const name of Object.keys(object)) setAttribute(attributes, name, readValue(object[name], depth));
  return attributes;
};

export const requiredAttributes = (input: JsonObject, name: 'Item' | 'Key'): Attributes => {
  const value = mapOf(input, name);
  if (value === undefined) throw missingMember(name.toLowerCase());
  const attributes = readAttributes(value);
  if (Object.hasOwn(attributes, '')) throw invalid('Empty attribute name');
  return attributes;
};
