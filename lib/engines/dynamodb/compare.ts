import { compareNumbers, numberBytes } from './numbers.ts';
import { type Attributes, attributeOf, type Value } from './values.ts';

const textBytes = (text: string): number => Buffer.byteLength(text, 'utf8');

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

/** Lists and maps: three bytes, and one for each member. */
const documentBytes = 3;
const memberBytes = 1;

/** The size of a value as DynamoDB counts it (Developer Guide, "DynamoDB item sizes and formats"). */
const valueBytes = (value: Value): number => {
  if ('S' in value) return textBytes(value.S);
  if ('N' in value) return numberBytes(value.N);
  if ('B' in value) return value.B.length;
  if ('BOOL' in value || 'NULL' in value) return 1;
  if ('SS' in value) return sum(value.SS.map(textBytes));
  if ('NS' in value) return sum(value.NS.map(numberBytes));
  if ('L' in value) return documentBytes + sum(value.L.map(member => memberBytes + valueBytes(member)));
  return documentBytes + itemBytes(value.M) + memberBytes * Object.keys(value.M).length;
};

export const itemBytes = (attributes: Attributes): number => {
  let total = 0;
  for (const name of Object.keys(attributes)) {
    const value = attributeOf(attributes, name);
    if (value !== undefined) total += textBytes(name) + valueBytes(value);
  }
  return total;
};

const compareBytes = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b);

/** UTF-16 code units sort surrogates before U+E000 to U+FFFF; UTF-8 bytes sort them after. */
const compareTexts = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));

/** The order of two values of one ordered type (S, N or B); undefined for any other pair. */
export const compareValues = (a: Value, b: Value): number | undefined => {
  if ('S' in a && 'S' in b) return compareTexts(a.S, b.S);
  if ('N' in a && 'N' in b) return compareNumbers(a.N, b.N);
  if ('B' in a && 'B' in b) return compareBytes(a.B, b.B);
  return undefined;
};

const sameTexts = (a: readonly string[], b: readonly string[]): boolean => {
  if (a.length !== b.length) return false;
  const members = new Set(a);
  return b.every(member => members.has(member));
};

const sameMaps = (a: Attributes, b: Attributes): boolean => {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every(name => {
      const [x, y] = [attributeOf(a, name), attributeOf(b, name)];
      return x !== undefined && y !== undefined && sameValues(x, y);
    })
  );
};

export const sameValues = (a: Value, b: Value): boolean => {
  if ('S' in a) return 'S' in b && a.S === b.S;
  if ('N' in a) return 'N' in b && a.N === b.N;
  if ('B' in a) return 'B' in b && compareBytes(a.B, b.B) === 0;
  if ('BOOL' in a) return 'BOOL' in b && a.BOOL === b.BOOL;
  if ('NULL' in a) return 'NULL' in b;
  if ('SS' in a) return 'SS' in b && sameTexts(a.SS, b.SS);
  if ('NS' in a) return 'NS' in b && sameTexts(a.NS, b.NS);
  if ('L' in a) {
    if (!('L' in b) || a.L.length !== b.L.length) return false;
    return a.L.every((member, at) => sameMember(member, b.L[at]));
  }
  return 'M' in b && sameMaps(a.M, b.M);
};

const sameMember = (a: Value, b: Value | undefined): boolean => b !== undefined && sameValues(a, b);

/** The members of both sets; undefined when they have different types. */
export const unionOf = (a: Value, b: Value): Value | undefined => {
  if ('SS' in a && 'SS' in b) return { SS: [...new Set([...a.SS, ...b.SS])] };
  if ('NS' in a && 'NS' in b) return { NS: [...new Set([...a.NS, ...b.NS])] };
  return undefined;
};

/** The members of `a` that `b` has not: `empty` when there are none, undefined when the types differ. */
export const differenceOf = (a: Value, b: Value): Value | 'empty' | undefined => {
  const kept = (members: readonly unknown[], value: Value) => (members.length === 0 ? 'empty' : value);
  if ('SS' in a && 'SS' in b) {
    const SS = a.SS.filter(member => !b.SS.includes(member));
    return kept(SS, { SS });
  }
  if ('NS' in a && 'NS' in b) {
    const NS = a.NS.filter(member => !b.NS.includes(member));
    return kept(NS, { NS });
  }
  return undefined;
};
