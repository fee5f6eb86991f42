import type { JsonObject } from '../../json/value.ts';
import { listOf, mapOf, textListOf, textOf } from '../aws-json/input.ts';
import { invalid, invalidParameter } from './errors.ts';
import type { IndexSchema, KeyPart, KeySchema, TableSchema } from './keys.ts';
import { checkParameters, choice, missingMember, objectsOf, tableName } from './requests.ts';

const keyTypes = ['S', 'N', 'B'] as const;

const readTypes = (input: JsonObject): ReadonlyMap<string, KeyPart['type']> => {
  const definitions = listOf(input, 'AttributeDefinitions');
  if (definitions === undefined) throw missingMember('attributeDefinitions');
  return new Map(
    objectsOf(definitions, 'AttributeDefinitions').map(each => {
      checkParameters('an AttributeDefinition', each, ['AttributeName', 'AttributeType']);
      const type = keyTypes.find(known => known === textOf(each, 'AttributeType'));
      if (type === undefined) throw missingMember('attributeDefinitions.member.attributeType');
      return [textOf(each, 'AttributeName') ?? '', type] as const;
    }),
  );
};

const readKey = (input: JsonObject, types: ReadonlyMap<string, KeyPart['type']>): KeySchema => {
  const elements = objectsOf(listOf(input, 'KeySchema') ?? [], 'KeySchema');
  for (const element of elements)
    checkParameters('a KeySchemaElement', element, ['AttributeName', 'KeyType']);
  const part = (element: JsonObject | undefined): KeyPart => {
    const name = (element && textOf(element, 'AttributeName')) ?? '';
    const type = types.get(name);
    if (type !== undefined) return { name, type };
    throw invalidParameter(
      `Some index key attributes are not defined in AttributeDefinitions. Keys: [${name}], AttributeDefinitions: [${[...types.keys()].join(', ')}]`,
    );
  };
  const kinds = elements.map(element => textOf(element, 'KeyType')).join();
  if (kinds !== 'HASH' && kinds !== 'HASH,RANGE')
    throw invalid(
      'Invalid KeySchema: The first KeySchemaElement is not a HASH key type, or the second is not a RANGE key type',
    );
  const [first, second] = elements;
  return { partition: part(first), ...(second ? { sort: part(second) } : {}) };
};

const checkNameLength = (parameter: 'TableName' | 'IndexName', name: string): void => {
  if (name.length < 3 || name.length > 255)
    throw invalid(`${parameter} must be at least 3 characters long and at most 255 characters long`);
};

/** Capacity is never limited here, but a request that AWS would refuse is refused. */
const checkBilling = (input: JsonObject): void => {
  const mode = choice(input, 'BillingMode', ['PROVISIONED', 'PAY_PER_REQUEST']);
  const throughput = mapOf(input, 'ProvisionedThroughput');
  if (mode === 'PROVISIONED' && !throughput)
    throw invalid('No provisioned throughput specified for the table');
  if (mode === 'PAY_PER_REQUEST' && throughput)
    throw invalidParameter(
      'Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST',
    );
};

const readIndex = (input: JsonObject, number: number, types: Parameters<typeof readKey>[1]): IndexSchema => {
  checkParameters('a GlobalSecondaryIndex', input, [
    'IndexName',
    'KeySchema',
    'Projection',
    'ProvisionedThroughput',
  ]);
  const name = textOf(input, 'IndexName') ?? '';
  checkNameLength('IndexName', name);
  const projection = mapOf(input, 'Projection') ?? {};
  checkParameters('a Projection', projection, ['ProjectionType', 'NonKeyAttributes']);
  const type = choice(projection, 'ProjectionType', ['ALL', 'KEYS_ONLY', 'INCLUDE']);
  return {
    name,
    number,
    key: readKey(input, types),
    projected: type === 'ALL' ? 'ALL' : (textListOf(projection, 'NonKeyAttributes') ?? []),
  };
};

const creationParameters = [
  'TableName',
  'AttributeDefinitions',
  'KeySchema',
  'BillingMode',
  'ProvisionedThroughput',
  'GlobalSecondaryIndexes',
];

const checkAllTypesUsed = (types: ReadonlyMap<string, unknown>, keys: readonly KeySchema[]): void => {
  const used = new Set(keys.flatMap(({ partition, sort }) => [partition.name, ...(sort ? [sort.name] : [])]));
  if ([...types.keys()].some(name => !used.has(name)))
    throw invalidParameter(
      `Some AttributeDefinitions are not used. AttributeDefinitions: [${[...types.keys()].join(', ')}], keys used: [${[...used].join(', ')}]`,
    );
};

/**
 * The table that a CreateTable asks for.
 *
 * @throws AwsError if AWS would refuse it
 */
export const readDefinition = (input: JsonObject): Omit<TableSchema, 'id'> => {
  checkParameters('CreateTable', input, creationParameters);
  const name = tableName(input);
  checkNameLength('TableName', name);
  checkBilling(input);
  const types = readTypes(input);
  const key = readKey(input, types);
  const indexes = objectsOf(listOf(input, 'GlobalSecondaryIndexes') ?? [], 'GlobalSecondaryIndexes').map(
    (index, number) => readIndex(index, number, types),
  );
  checkAllTypesUsed(types, [key, ...indexes.map(index => index.key)]);
  return { name, key, indexes };
};
