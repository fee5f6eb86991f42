import type { JsonObject } from '../../../platform/json/value.ts';
import { objectInput, objectsOf, requiredText, textInput } from '../aws-json/input.ts';
import { localAccount } from '../machine.ts';
import type { Store } from '../store.ts';
import type { IndexSchema, KeyPart, KeySchema, TableSchema } from './keys.ts';
import { checkParameters, choice, dynamoDbError, invalid, unsupported } from './requests.ts';

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
    const row = this.#store
      .sql<{ name: string }>('SELECT name FROM dynamodb_tables WHERE id = ?')
      .get(id);
    return row && this.find(row.name);
  }

  /** The table that a request names. @throws AwsError if there is none */
  of(input: JsonObject): TableSchema {
    const table = this.find(requiredText(input, 'TableName'));
    if (table) return table;
    throw dynamoDbError('resourceNotFound', 'Requested resource not found');
  }

  add(name: string, schema: StoredSchema): void {
    this.#store
      .sql('INSERT INTO dynamodb_tables (name, schema) VALUES (?, ?)')
      .run(name, JSON.stringify(schema));
  }

  change({ id, name, ...schema }: TableSchema): void {
    this.#known.delete(name);
    this.#store
      .sql('UPDATE dynamodb_tables SET schema = ? WHERE id = ?')
      .run(JSON.stringify(schema), id);
  }

  remove({ id, name }: TableSchema): void {
    this.#known.delete(name);
    this.#store.sql('DELETE FROM dynamodb_tables WHERE id = ?').run(id);
  }
}

const keyTypes = ['S', 'N'] as const;

type AttributeTypes = ReadonlyMap<unknown, unknown>;

const readPart = (
  input: JsonObject | undefined,
  keyType: 'HASH' | 'RANGE',
  types: AttributeTypes,
): KeyPart => {
  if (input === undefined) throw unsupported('tables and indexes without a sort key');
  const name = requiredText(input, 'AttributeName');
  const type = keyTypes.find(known => known === types.get(name));
  if (type === undefined || input['KeyType'] !== keyType) throw unsupported('this KeySchema');
  return { name, type };
};

const readKey = (input: JsonObject, types: AttributeTypes): KeySchema => {
  const [partition, sort] = objectsOf(input, 'KeySchema');
  return { partition: readPart(partition, 'HASH', types), sort: readPart(sort, 'RANGE', types) };
};

const readIndex = (input: JsonObject, number: number, types: AttributeTypes): IndexSchema => {
  checkParameters('a GlobalSecondaryIndex', input, ['IndexName', 'KeySchema', 'Projection']);
  const projection = objectInput(input['Projection'], 'Projection');
  checkParameters('a Projection', projection, ['ProjectionType']);
  return {
    name: textInput(input, 'IndexName') ?? '',
    number,
    key: readKey(input, types),
    projected: choice(projection, 'ProjectionType', ['ALL', 'KEYS_ONLY']),
  };
};

export const createTable = (tables: Tables, input: JsonObject): JsonObject => {
  const types = new Map(
    objectsOf(input, 'AttributeDefinitions').map(each => [
      each['AttributeName'],
      each['AttributeType'],
    ]),
  );
  const name = requiredText(input, 'TableName');
  if (tables.find(name)) throw dynamoDbError('resourceInUse', `Table already exists: ${name}`);
  tables.add(name, {
    key: readKey(input, types),
    indexes: objectsOf(input, 'GlobalSecondaryIndexes').map((index, number) =>
      readIndex(index, number, types),
    ),
  });
  return {};
};

export const describeTable = (tables: Tables, input: JsonObject): JsonObject => {
  const { name } = tables.of(input);
  const TableArn = `arn:aws:dynamodb:${localAccount.region}:${localAccount.account}:table/${name}`;
  return { Table: { TableName: name, TableArn, TableStatus: 'ACTIVE' } };
};

/**
 * Names the attribute with the second in which an item expires. Items that are already stored keep
 * their expiry.
 */
export const updateTimeToLive = (tables: Tables, input: JsonObject): JsonObject => {
  const table = tables.of(input);
  const specification = objectInput(input['TimeToLiveSpecification'], 'TimeToLiveSpecification');
  if (specification['Enabled'] !== true)
    throw unsupported('tables whose time to live is disabled again');
  if (table.expiry !== undefined) throw invalid('TimeToLive is already enabled');
  tables.change({ ...table, expiry: requiredText(specification, 'AttributeName') });
  return { TimeToLiveSpecification: { ...specification } };
};
