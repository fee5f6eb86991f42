import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { CreateAliasCommand, CreateKeyCommand, DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { clientConfig } from '../aws/clients.ts';
import { isFault } from '../aws/table.ts';
import {
  type IndexDefinition,
  type TableDefinition,
  type TableName,
  tableNames,
  tables,
} from '../contract/tables.ts';
import { startAwsJsonServer } from '../engines/aws-json/server.ts';
import { operationsOnWire } from '../engines/aws-json/wire.ts';
import { kmsOperations, kmsProtocol } from '../engines/kms/engine.ts';
import { errorCode, errorMessage } from '../engines/machine.ts';
import { sqsOperations, sqsProtocol } from '../engines/sqs/engine.ts';
import { openStore, type Store } from '../engines/store/store.ts';
import { type DataFolder, databaseFile } from './data-folder.ts';
import { databaseElsewhere, startDynoxide } from './database.ts';
import { type Endpoints, type LocalEnv, localTables, signingKeyAlias } from './env.ts';
import { StartRefusal } from './start-refusal.ts';

const keySchema = ({ partition, sort }: IndexDefinition): CreateTableCommandInput['KeySchema'] => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];

const attributes = (indexes: readonly IndexDefinition[]): AttributeDefinition[] => {
  const types = new Map(
    indexes.flatMap(
      ({ partition, sort, sortType }) =>
        [
          [partition, 'S'],
          [sort, sortType],
        ] as const,
    ),
  );
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
};

/** The request that creates a table from its definition. */
const creation = (TableName: string, { key, indexes }: TableDefinition): CreateTableCommandInput => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: keySchema(key),
  AttributeDefinitions: attributes([key, ...Object.values(indexes)]),
  GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, index]) => ({
    IndexName,
    KeySchema: keySchema(index),
    Projection: { ProjectionType: index.projection },
  })),
});

/** Creates the tables that do not exist yet. */
export const createTables = async (
  env: LocalEnv,
  names: Readonly<Record<TableName, string>>,
): Promise<void> => {
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  for (const table of tableNames) {
    try {
      await client.send(new CreateTableCommand(creation(names[table], tables[table])));
    } catch (fault) {
      if (!isFault(fault, 'ResourceInUseException')) throw fault;
    }
  }
  client.destroy();
};

/** The local AWS services, on loopback. */
export interface Engines {
  readonly endpoints: Endpoints;
  /** Resolves with the reason if an engine stops on its own. */
  readonly failed: Promise<StartRefusal>;
  /** Answers pending long polls at once, so that closing need not wait for them. */
  endPolls(): void;
  close(): Promise<void>;
}

/** How the engines start. */
interface EngineOptions {
  /** Their addresses in the last run. */
  readonly before: Partial<Endpoints>;
  /** The address of a running database, to use instead of the built-in one. */
  readonly database?: string;
  /** Receives warnings of engines that keep running. */
  warn(line: string): void;
}

const portOf = (endpoint: string | undefined): number | undefined =>
  endpoint === undefined ? undefined : Number(new URL(endpoint).port);

/** Starts on the port of the last run, or on any free port if that is taken. */
const onPort = async <E>(before: string | undefined, start: (port: number) => Promise<E>): Promise<E> => {
  try {
    return await start(portOf(before) ?? 0);
  } catch (fault) {
    if (errorCode(fault) !== 'EADDRINUSE') throw fault;
    return start(0);
  }
};

/** A fault of an engine about its files, as a refusal to start. */
const asRefusal = (fault: unknown): unknown =>
  fault instanceof Error && !(fault instanceof StartRefusal)
    ? new StartRefusal(`${fault.message.replace(/\.$/, '')}.`, { cause: fault })
    : fault;

const startQueues = async (store: Store, { before, warn }: EngineOptions) => {
  const { operations, endPolls } = sqsOperations(store);
  const service = { ...sqsProtocol, operations: operationsOnWire(operations, store) };
  const onFault = (fault: unknown) => warn(`queues  ${errorMessage(fault)}`);
  const { endpoint, close } = await onPort(before.sqs, port =>
    startAwsJsonServer(service, { port, onFault }),
  );
  return {
    endpoint,
    endPolls,
    close() {
      endPolls();
      return close();
    },
  };
};

const startKeys = (store: Store, { before, warn }: EngineOptions) => {
  const { operations } = kmsOperations(store);
  const service = { ...kmsProtocol, operations: operationsOnWire(operations, store) };
  const onFault = (fault: unknown) => warn(`keys  ${errorMessage(fault)}`);
  return onPort(before.kms, port => startAwsJsonServer(service, { port, onFault }));
};

/** Starts the engines on the folder's data, on their previous ports if those are free. */
export const startEngines = async (folder: DataFolder, options: EngineOptions): Promise<Engines> => {
  const { before } = options;
  const started: { close(): Promise<void> }[] = [];
  let store: Store | undefined;
  const close = async (): Promise<void> => {
    await Promise.all(started.map(engine => engine.close()));
    await store?.close();
  };
  try {
    const database = options.database
      ? databaseElsewhere(options.database)
      : await startDynoxide(folder.file(databaseFile), portOf(before.dynamodb));
    started.push(database);
    store = openStore(folder.file('engines.sqlite'));
    const sqs = await startQueues(store, options);
    started.push(sqs);
    const kms = await startKeys(store, options);
    started.push(kms);
    return {
      endpoints: { dynamodb: database.endpoint, sqs: sqs.endpoint, kms: kms.endpoint },
      failed: database.failed,
      endPolls: sqs.endPolls,
      close,
    };
  } catch (fault) {
    await close();
    throw asRefusal(fault);
  }
};

const createSigningKey = async (client: KMSClient): Promise<void> => {
  const { KeyMetadata } = await client.send(
    new CreateKeyCommand({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }),
  );
  await client.send(new CreateAliasCommand({ AliasName: signingKeyAlias, TargetKeyId: KeyMetadata?.KeyId }));
};

/** Creates the missing tables and signing key, as the deployment does on AWS. */
export const provision = async (env: LocalEnv): Promise<void> => {
  const client = new KMSClient(clientConfig(env, 'KMS'));
  await createTables(env, localTables);
  try {
    await client.send(new DescribeKeyCommand({ KeyId: signingKeyAlias }));
  } catch (fault) {
    if (!isFault(fault, 'NotFoundException')) throw fault;
    await createSigningKey(client);
  }
  client.destroy();
};
