import { numberKey } from './numbers.ts';
import { invalid, invalidParameter } from './requests.ts';
import { type Attributes, attributeOf, setAttribute, typeOf, type Value } from './values.ts';

export interface KeyPart {
  readonly name: string;
  readonly type: 'S' | 'N';
}

export interface KeySchema {
  readonly partition: KeyPart;
  readonly sort?: KeyPart;
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

export const keyParts = ({ partition, sort }: KeySchema): readonly KeyPart[] =>
  sort ? [partition, sort] : [partition];

/** A key as the store sorts it: a text, or the bytes that stand for a number. The empty text stands for a sort key that a schema has not. */
export type StoredKey = readonly [partition: string | Uint8Array, sort: string | Uint8Array];

/** What the store sorts a key's value by: SQLite compares texts by their UTF-8 bytes, as DynamoDB does, and bytes as they are. */
export const sortable = (value: Value): string | Uint8Array => {
  if ('S' in value) return value.S;
  if ('N' in value) return numberKey(value.N);
  throw new Error('A key has a type that has no order.');
};

const maxPartitionBytes = 2048;
const maxSortBytes = 1024;

const lengthOf = (value: Value): number => ('S' in value ? Buffer.byteLength(value.S) : 0);

const emptyText = 'The AttributeValue for a key attribute cannot contain an empty string value.';

const checkNotEmpty = (schema: KeySchema, attributes: Attributes): void => {
  for (const { name } of keyParts(schema)) {
    const value = attributeOf(attributes, name);
    if (value && 'S' in value && value.S === '')
      throw invalid(`One or more parameter values are not valid. ${emptyText} Key: ${name}`);
  }
};

const checkLengths = ({ partition, sort }: KeySchema, attributes: Attributes): void => {
  const [first, second] = [partition, sort].map(part => part && attributeOf(attributes, part.name));
  if (first && lengthOf(first) > maxPartitionBytes)
    throw invalidParameter(
      `Size of hashkey has exceeded the maximum size limit of${maxPartitionBytes} bytes`,
    );
  if (second && lengthOf(second) > maxSortBytes)
    throw invalidParameter(
      `Aggregated size of all range keys has exceeded the size limit of ${maxSortBytes} bytes`,
    );
};

const stored = (schema: KeySchema, attributes: Attributes): StoredKey => {
  const partition = attributeOf(attributes, schema.partition.name);
  const sort = schema.sort && attributeOf(attributes, schema.sort.name);
  if (partition === undefined) throw new Error('A checked key has no partition key.');
  return [sortable(partition), sort ? sortable(sort) : ''];
};

/** The key of a request's `Key`. @throws AwsError if it has not exactly the attributes of the schema */
export const requestedKey = (schema: KeySchema, key: Attributes): StoredKey => {
  const parts = keyParts(schema);
  for (const part of parts) {
    const value = attributeOf(key, part.name);
    if (value === undefined || typeOf(value) !== part.type || Object.keys(key).length !== parts.length)
      throw invalid('The provided key element does not match the schema');
  }
  checkNotEmpty(schema, key);
  checkLengths(schema, key);
  return stored(schema, key);
};

/** The key of an item to be stored. @throws AwsError if the item has no valid key */
export const keyOfItem = (schema: KeySchema, item: Attributes): StoredKey => {
  const parts = keyParts(schema);
  for (const part of parts) {
    const value = attributeOf(item, part.name);
    if (value === undefined) throw invalidParameter(`Missing the key ${part.name} in the item`);
    if (typeOf(value) !== part.type)
      throw invalidParameter(
        `Type mismatch for key ${part.name} expected: ${part.type} actual: ${typeOf(value)}`,
      );
  }
  checkNotEmpty(schema, item);
  checkLengths(schema, item);
  return stored(schema, item);
};

/**
 * Checks the attributes of an item that are keys of indexes.
 *
 * @throws AwsError if one has the wrong type, or is empty or too long
 */
export const checkIndexKeys = ({ indexes }: TableSchema, item: Attributes): void => {
  for (const index of indexes) {
    for (const part of keyParts(index.key)) {
      const value = attributeOf(item, part.name);
      if (value !== undefined) checkIndexKey(index, part, value);
    }
    checkLengths(index.key, item);
  }
};

const checkIndexKey = (index: IndexSchema, part: KeyPart, value: Value): void => {
  if (typeOf(value) !== part.type)
    throw invalidParameter(
      `Type mismatch for Index Key ${part.name} Expected: ${part.type} Actual: ${typeOf(value)} IndexName: ${index.name}`,
    );
  if ('S' in value && value.S === '')
    throw invalid(
      `One or more parameter values are not valid. A value specified for a secondary index key is not supported. ${emptyText} IndexName: ${index.name}, IndexKey: ${part.name}`,
    );
};

export const keyInIndex = ({ key }: IndexSchema, item: Attributes): StoredKey | undefined =>
  keyParts(key).every(part => attributeOf(item, part.name) !== undefined) ? stored(key, item) : undefined;

export const pick = (item: Attributes, names: Iterable<string>): Attributes => {
  const picked: Record<string, Value> = {};
  for (const name of names) {
    const value = attributeOf(item, name);
    if (value !== undefined) setAttribute(picked, name, value);
  }
  return picked;
};

const namesOf = (schema: KeySchema): readonly string[] => keyParts(schema).map(({ name }) => name);

/** The key attributes of an item, for `LastEvaluatedKey`: those of the table, and of the index that was read. */
export const keyAttributes = (
  table: TableSchema,
  index: IndexSchema | undefined,
  item: Attributes,
): Attributes => pick(item, new Set([...namesOf(table.key), ...(index ? namesOf(index.key) : [])]));

export const projectedByIndex = (table: TableSchema, index: IndexSchema, item: Attributes): Attributes =>
  index.projected === 'ALL' ? item : keyAttributes(table, index, item);

export const sameKey = (a: StoredKey | undefined, b: StoredKey | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && samePart(a[0], b[0]) && samePart(a[1], b[1]));

const samePart = (a: string | Uint8Array, b: string | Uint8Array): boolean =>
  a === b || (typeof a !== 'string' && typeof b !== 'string' && Buffer.compare(a, b) === 0);

export const keyText = (key: StoredKey): string =>
  JSON.stringify(key.map(part => (typeof part === 'string' ? part : [Buffer.from(part).toString('base64')])));
