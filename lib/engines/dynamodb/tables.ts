import type { JsonObject } from '../../json/value.ts';
import { booleanOf, textOf } from '../aws-json/input.ts';
import { localPlace } from '../machine.ts';
import type { Store } from '../store.ts';
import { dynamoDbError, invalid, tableNotFound } from './errors.ts';
import type { IndexSchema, KeySchema, TableSchema } from './keys.ts';
import { checkParameters, positive, requiredMap, tableName } from './requests.ts';
import { readDefinition } from './table-definition.ts';

const definition = `
  CREATE TABLE IF NOT EXISTS dynamodb_tables (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    schema TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
`;

interface TableRow {
  readonly id: number;
  readonly name: string;
  readonly schema: string;
  readonly created_at: number;
}

type StoredSchema = Omit<TableSchema, 'id' | 'name'>;

/** A table and when it was created, in epoch milliseconds. */
export interface Table {
  readonly schema: TableSchema;
  readonly createdAt: number;
}

/** The tables, kept in memory: there are few. */
export class Tables {
  readonly #store: Store;
  readonly #known = new Map<string, Table>();

  constructor(store: Store) {
    this.#store = store;
    store.define(definition);
  }

  find(name: string): Table | undefined {
    const known = this.#known.get(name);
    if (known) return known;
    const row = this.#store
      .sql<TableRow>('SELECT id, name, schema, created_at FROM dynamodb_tables WHERE name = ?')
      .get(name);
    if (row === undefined) return undefined;
    const schema: StoredSchema = JSON.parse(row.schema);
    const table = { schema: { ...schema, id: row.id, name: row.name }, createdAt: row.created_at };
    this.#known.set(name, table);
    return table;
  }

  /** The schema of the table with an id; undefined if it is gone. */
  withId(id: number): TableSchema | undefined {
    const row = this.#store.sql<{ name: string }>('SELECT name FROM dynamodb_tables WHERE id = ?').get(id);
    return row && this.find(row.name)?.schema;
  }

  /** The schema of a table; a ResourceNotFoundException if there is none. */
  schema(name: string): TableSchema {
    const table = this.find(name);
    if (table === undefined) throw tableNotFound();
    return table.schema;
  }

  names(after: string, max: number): readonly string[] {
    return this.#store
      .sql<{ name: string }>('SELECT name FROM dynamodb_tables WHERE name > ? ORDER BY name LIMIT ?')
      .all(after, max)
      .map(({ name }) => name);
  }

  add(name: string, schema: StoredSchema, createdAt: number): void {
    this.#store
      .sql('INSERT INTO dynamodb_tables (name, schema, created_at) VALUES (?, ?, ?)')
      .run(name, JSON.stringify(schema), createdAt);
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

export const createTable = (tables: Tables, input: JsonObject, now: number): JsonObject => {
  const { name, ...schema } = readDefinition(input);
  if (tables.find(name)) throw dynamoDbError('resourceInUse', `Table already exists: ${name}`);
  tables.add(name, schema, now);
  return { TableDescription: describe(tables, name) };
};

const keySchema = ({ partition, sort }: KeySchema) => [
  { AttributeName: partition.name, KeyType: 'HASH' },
  ...(sort ? [{ AttributeName: sort.name, KeyType: 'RANGE' }] : []),
];

const projection = ({ projected }: IndexSchema): JsonObject => {
  if (projected === 'ALL') return { ProjectionType: 'ALL' };
  if (projected.length === 0) return { ProjectionType: 'KEYS_ONLY' };
  return { ProjectionType: 'INCLUDE', NonKeyAttributes: [...projected] };
};

const definitions = (keys: readonly KeySchema[]) => {
  const parts = keys.flatMap(({ partition, sort }) => [partition, ...(sort ? [sort] : [])]);
  const types = new Map(parts.map(({ name, type }) => [name, type]));
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
};

const describe = (tables: Tables, name: string): JsonObject => {
  const table = tables.find(name);
  if (table === undefined)
    throw dynamoDbError('resourceNotFound', `Requested resource not found: Table: ${name} not found`);
  const { key, indexes } = table.schema;
  const TableArn = `arn:aws:dynamodb:${localPlace.region}:${localPlace.account}:table/${name}`;
  return {
    TableName: name,
    TableArn,
    TableStatus: 'ACTIVE',
    CreationDateTime: table.createdAt / 1000,
    AttributeDefinitions: definitions([key, ...indexes.map(index => index.key)]),
    KeySchema: keySchema(key),
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map(index => ({
        IndexName: index.name,
        IndexArn: `${TableArn}/index/${index.name}`,
        IndexStatus: 'ACTIVE',
        KeySchema: keySchema(index.key),
        Projection: projection(index),
      })),
    }),
  };
};

export const describeTable = (tables: Tables, input: JsonObject): JsonObject => {
  checkParameters('DescribeTable', input, ['TableName']);
  return { Table: describe(tables, tableName(input)) };
};

export const deleteTable = (
  tables: Tables,
  input: JsonObject,
): { readonly id: number; readonly answer: JsonObject } => {
  checkParameters('DeleteTable', input, ['TableName']);
  const name = tableName(input);
  const TableDescription = { ...describe(tables, name), TableStatus: 'DELETING' };
  const schema = tables.schema(name);
  tables.remove(schema);
  return { id: schema.id, answer: { TableDescription } };
};

const maxTableNames = 100;

export const listTables = (tables: Tables, input: JsonObject): JsonObject => {
  checkParameters('ListTables', input, ['ExclusiveStartTableName', 'Limit']);
  const max = Math.min(positive(input, 'Limit') ?? maxTableNames, maxTableNames);
  const found = tables.names(textOf(input, 'ExclusiveStartTableName') ?? '', max + 1);
  const TableNames = found.slice(0, max);
  return { TableNames, ...(found.length > max ? { LastEvaluatedTableName: TableNames.at(-1) } : {}) };
};

const requiredTable = (tables: Tables, name: string): Table => {
  const table = tables.find(name);
  if (table) return table;
  throw dynamoDbError('resourceNotFound', `Requested resource not found: Table: ${name} not found`);
};

/** Names the attribute with the second in which an item expires. Items that are already stored keep their expiry. */
export const updateTimeToLive = (tables: Tables, input: JsonObject): JsonObject => {
  checkParameters('UpdateTimeToLive', input, ['TableName', 'TimeToLiveSpecification']);
  const { schema } = requiredTable(tables, tableName(input));
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

export const describeTimeToLive = (tables: Tables, input: JsonObject): JsonObject => {
  checkParameters('DescribeTimeToLive', input, ['TableName']);
  const { expiry } = requiredTable(tables, tableName(input)).schema;
  return {
    TimeToLiveDescription:
      expiry === undefined
        ? { TimeToLiveStatus: 'DISABLED' }
        : { TimeToLiveStatus: 'ENABLED', AttributeName: expiry },
  };
};
