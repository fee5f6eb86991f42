import { numberKey } from './numbers.ts';
import { invalid } from './requests.ts';
import { type Attributes, attributeOf, setAttribute, type Value } from './values.ts';

export interface KeyPart {
  readonly name: string;
  readonly type: 'S' | 'N';
}

export interface KeySchema {
  readonly partition: KeyPart;
  readonly sort: KeyPart;
}

export interface IndexSchema {
  readonly name: string;
  readonly number: number;
  readonly key: KeySchema;
  readonly projected: 'ALL' | 'KEYS_ONLY';
}

export interface TableSchema {
  readonly id: number;
  readonly name: string;
  readonly key: KeySchema;
  readonly indexes: readonly IndexSchema[];
  readonly expiry?: string;
}

/** A key as the store sorts it: a text, or the bytes that stand for a number. */
export type StoredKey = readonly [partition: string | Uint8Array, sort: string | Uint8Array];

/**
 * What the store sorts a key's value by: SQLite compares texts by their UTF-8 bytes, as DynamoDB
 * does, and bytes as they are.
 */
export const sortable = (value: Value): string | Uint8Array => {
  if ('S' in value) return value.S;
  if ('N' in value) return numberKey(value.N);
  throw new Error('A key has a type that has no order.');
};

const maxBytes = { partition: 2048, sort: 1024 };

const sayPart = (part: KeyPart, what: string) =>
  invalid(`One or more parameter values were invalid: ${what}. Key: ${part.name}`);

/**
 * @throws AwsError if a value has another type than its part of a key, or is empty, or (with `max`)
 * too long
 */
export const checkKeyPart = (part: KeyPart, value: Value, max = maxBytes.partition): void => {
  const [type = ''] = Object.keys(value);
  if (type !== part.type)
    throw sayPart(part, `Type mismatch for key, expected: ${part.type} actual: ${type}`);
  if (!('S' in value)) return;
  if (value.S === '')
    throw sayPart(
      part,
      'The AttributeValue for a key attribute cannot contain an empty string value',
    );
  if (Buffer.byteLength(value.S) > max)
    throw sayPart(part, `The size of a key has exceeded the limit of ${max} bytes`);
};

const checkParts = (schema: KeySchema, item: Attributes): void => {
  for (const kind of ['partition', 'sort'] as const) {
    const value = attributeOf(item, schema[kind].name);
    if (value) checkKeyPart(schema[kind], value, maxBytes[kind]);
  }
};

const stored = ({ partition, sort }: KeySchema, item: Attributes): StoredKey | undefined => {
  const first = attributeOf(item, partition.name);
  const second = attributeOf(item, sort.name);
  return first && second && [sortable(first), sortable(second)];
};

/** The key of an item to be stored. @throws AwsError if the item has no valid key */
export const keyOfItem = (schema: KeySchema, item: Attributes): StoredKey => {
  checkParts(schema, item);
  const key = stored(schema, item);
  if (key === undefined)
    throw invalid('One or more parameter values were invalid: Missing the key in the item');
  return key;
};

/**
 * The key of a request's `Key`.
 *
 * @throws AwsError if it has not exactly the attributes of the schema
 */
export const requestedKey = (schema: KeySchema, key: Attributes): StoredKey => {
  if (Object.keys(key).length !== 2)
    throw invalid('The provided key element does not match the schema');
  return keyOfItem(schema, key);
};

/** @throws AwsError if an attribute of an item that is a key of an index cannot be one */
export const checkIndexKeys = ({ indexes }: TableSchema, item: Attributes): void => {
  for (const { key } of indexes) checkParts(key, item);
};

export const keyInIndex = ({ key }: IndexSchema, item: Attributes): StoredKey | undefined =>
  stored(key, item);

export const keyNames = ({ partition, sort }: KeySchema): readonly string[] => [
  partition.name,
  sort.name,
];

/**
 * The key attributes of an item, for `LastEvaluatedKey`: those of the table, and of the index that
 * was read.
 */
export const keyAttributes = (
  table: TableSchema,
  index: IndexSchema | undefined,
  item: Attributes,
): Attributes => {
  const picked: Record<string, Value> = {};
  for (const name of [...keyNames(table.key), ...(index ? keyNames(index.key) : [])]) {
    const value = attributeOf(item, name);
    if (value !== undefined) setAttribute(picked, name, value);
  }
  return picked;
};

export const projectedByIndex = (
  table: TableSchema,
  index: IndexSchema,
  item: Attributes,
): Attributes => (index.projected === 'ALL' ? item : keyAttributes(table, index, item));

/** The same for the same keys of a table or an index: there, a part has one type. */
export const keyText = (key: StoredKey): string =>
  key.map(part => Buffer.from(part).toString('base64')).join(' ');

export const sameKey = (a: StoredKey | undefined, b: StoredKey | undefined): boolean =>
  (a && keyText(a)) === (b && keyText(b));
