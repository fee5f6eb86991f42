import type { JsonObject } from '../../json/value.ts';
import { booleanOf, listOf, textOf } from '../aws-json/input.ts';
import { localAccount } from '../machine.ts';
import type { Store } from '../store.ts';
import type { IndexSchema, KeyPart, KeySchema, TableSchema } from './keys.ts';
import {
  checkParameters,
  choice,
  dynamoDbError,
  invalid,
  invalidParameter,
  objectsOf,
  requiredMap,
  tableName,
  tableNotFound,
  unsupported,
} from './requests.ts';

const definition = `
  CREATE TABLE IF NOT EXISTS dynamodb_tables (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    schema TEXT NOT NULL
  ) STRICT;
`;

interface TableRow {
  readonly id: number;
  readonly name: string;
  readonly schema: string;
}

type StoredSchema = Omit<TableSchema, 'id' | 'name'>;

export class Tables {
  readonly #store: Store;
  readonly #known = new Map<string, TableSchema>();

  constructor(store: Store) {
    this.#store = store;
    store.define(definition);
  }

  find(name: string): TableSchema | undefined {
    const known = this.#known.get(name);
    if (known) return known;
    const row = this.#store
      .sql<TableRow>('SELECT id, name, schema FROM dynamodb_tables WHERE name = ?')
      .get(name);
    if (row === undefined) return undefined;
    const schema: StoredSchema = JSON.parse(row.schema);
    const table = { ...schema, id: row.id, name: row.name };
    this.#known.set(name, table);
    return table;
  }

  withId(id: number): TableSchema | undefined {
    const row = this.#store.sql<{ name: string }>('SELECT name FROM dynamodb_tables WHERE id = ?').get(id);
    return row && this.find(row.name);
  }

  schema(name: string): TableSchema {
    const table = this.find(name);
    if (table === undefined) throw tableNotFound();
    return table;
  }

  add(name: string, schema: StoredSchema): void {
    this.#store
      .sql('INSERT INTO dynamodb_tables (name, schema) VALUES (?, ?)')
      .run(name, JSON.stringify(schema));
  }

  change({ id, name, ...schema }: TableSchema): void {
    this.#known.delete(name);
    this.#store.sql('UPDATE dynamodb_tables SET schema = ? WHERE id = ?').run(JSON.stringify(schema), id);
  }

  remove({ id, name }: TableSchema): void {
    this.#known.delete(name);
    this.#store.sql('DELETE FROM dynamodb_tables WHERE id = ?').run(id);
  }
}

const keyTypes = ['S', 'N'] as const;

type KeyTypes = ReadonlyMap<string, KeyPart['type']>;

const readTypes = (input: JsonObject): KeyTypes =>
  new Map(
    objectsOf(listOf(input, 'AttributeDefinitions') ?? [], 'AttributeDefinitions').map(each => {
      const type = keyTypes.find(known => known === textOf(each, 'AttributeType'));
      if (type === undefined) throw unsupported('keys that are neither text nor numbers');
      return [textOf(each, 'AttributeName') ?? '', type] as const;
    }),
  );

const readKey = (input: JsonObject, types: KeyTypes): KeySchema => {
  const elements = objectsOf(listOf(input, 'KeySchema') ?? [], 'KeySchema');
  const kinds = elements.map(element => textOf(element, 'KeyType')).join();
  if (kinds !== 'HASH' && kinds !== 'HASH,RANGE')
    throw invalid(
      'Invalid KeySchema: The first KeySchemaElement is not a HASH key type, or the second is not a RANGE key type',
    );
  const [partition, sort] = elements.map((element): KeyPart => {
    const name = textOf(element, 'AttributeName') ?? '';
    const type = types.get(name);
    if (type !== undefined) return { name, type };
    throw invalidParameter(
      `Some index key attributes are not defined in AttributeDefinitions. Keys: [${name}]`,
    );
  });
  if (partition === undefined) throw new Error('A checked key has a partition key.');
  return { partition, ...(sort && { sort }) };
};

const readIndex = (input: JsonObject, number: number, types: KeyTypes): IndexSchema => {
  checkParameters('a GlobalSecondaryIndex', input, ['IndexName', 'KeySchema', 'Projection']);
  const projection = requiredMap(input, 'Projection');
  checkParameters('a Projection', projection, ['ProjectionType']);
  return {
    name: textOf(input, 'IndexName') ?? '',
    number,
    key: readKey(input, types),
    projected: choice(projection, 'ProjectionType', ['ALL', 'KEYS_ONLY']),
  };
};

const creationParameters = [
  'TableName',
  'AttributeDefinitions',
  'KeySchema',
  'BillingMode',
  'GlobalSecondaryIndexes',
];

const readDefinition = (input: JsonObject): Omit<TableSchema, 'id'> => {
  checkParameters('CreateTable', input, creationParameters);
  choice(input, 'BillingMode', ['PAY_PER_REQUEST']);
  const types = readTypes(input);
  const indexes = objectsOf(listOf(input, 'GlobalSecondaryIndexes') ?? [], 'GlobalSecondaryIndexes');
  return {
    name: tableName(input),
    key: readKey(input, types),
    indexes: indexes.map((index, number) => readIndex(index, number, types)),
  };
};

export const createTable = (tables: Tables, input: JsonObject): JsonObject => {
  const { name, ...schema } = readDefinition(input);
  if (tables.find(name)) throw dynamoDbError('resourceInUse', `Table already exists: ${name}`);
  tables.add(name, schema);
  return {};
};

/** The table that was deleted: its items are still there. */
export const deleteTable = (tables: Tables, input: JsonObject): TableSchema => {
  checkParameters('DeleteTable', input, ['TableName']);
  const schema = requiredTable(tables, tableName(input));
  tables.remove(schema);
  return schema;
};

const requiredTable = (tables: Tables, name: string): TableSchema => {
  const schema = tables.find(name);
  if (schema) return schema;
  throw dynamoDbError('resourceNotFound', `Requested resource not found: Table: ${name} not found`);
};

export const describeTable = (tables: Tables, input: JsonObject): JsonObject => {
  checkParameters('DescribeTable', input, ['TableName']);
  const { name } = requiredTable(tables, tableName(input));
  const TableArn = `arn:aws:dynamodb:${localAccount.region}:${localAccount.account}:table/${name}`;
  return { Table: { TableName: name, TableArn, TableStatus: 'ACTIVE' } };
};

/** Names the attribute with the second in which an item expires. Items that are already stored keep their expiry. */
export const updateTimeToLive = (tables: Tables, input: JsonObject): JsonObject => {
  checkParameters('UpdateTimeToLive', input, ['TableName', 'TimeToLiveSpecification']);
  const schema = requiredTable(tables, tableName(input));
  const TimeToLiveSpecification = requiredMap(input, 'TimeToLiveSpecification');
  const [Enabled, AttributeName] = [
    booleanOf(TimeToLiveSpecification, 'Enabled') ?? false,
    textOf(TimeToLiveSpecification, 'AttributeName') ?? '',
  ];
  if (Enabled && schema.expiry !== undefined) throw invalid('TimeToLive is already enabled');
  if (!Enabled && schema.expiry === undefined) throw invalid('TimeToLive is already disabled');
  const { expiry: _, ...rest } = schema;
  tables.change(Enabled ? { ...rest, expiry: AttributeName } : rest);
  return { TimeToLiveSpecification: { Enabled, AttributeName } };
};
