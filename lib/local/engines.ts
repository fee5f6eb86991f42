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
import { errorCode, errorMessage, systemClock } from '../engines/files.ts';
import { startKmsEngine } from '../engines/kms/engine.ts';
import { startThreadedSqsEngine } from '../engines/sqs/threaded.ts';
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

/** The request that makes a table from its definition. */
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

/** Makes the tables that the data folder does not have yet. */
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

/** The AWS services of a laptop, on loopback. */
export interface Engines {
  readonly endpoints: Endpoints;
  /** Resolves with the reason when an engine has ended by itself. */
  readonly failed: Promise<StartRefusal>;
  /** Answers the long polls under way, so that nobody has to wait for them. */
  endPolls(): void;
  close(): Promise<void>;
}

/** How engines are started. */
export interface EngineOptions {
  /** Where they listened before. */
  readonly before: Partial<Endpoints>;
  /** The address of a database that runs already, and is used in place of the built-in one. */
  readonly database?: string;
  /** The bundled thread of the queue engine, where it is not beside this program. */
  readonly queueProgram?: string;
  /** Gets, in a sentence, what is wrong with an engine that goes on. */
  warn(line: string): void;
}

const portOf = (endpoint: string | undefined): number | undefined =>
  endpoint === undefined ? undefined : Number(new URL(endpoint).port);

/** On the port of the last run, or on any other where somebody has taken that. */
const onPort = async <E>(before: string | undefined, start: (port: number) => Promise<E>): Promise<E> => {
  try {
    return await start(portOf(before) ?? 0);
  } catch (fault) {
    if (errorCode(fault) !== 'EADDRINUSE') throw fault;
    return start(0);
  }
};

/** What an engine says of its files, as the sentence of a refusal. */
const asRefusal = (fault: unknown): unknown =>
  fault instanceof Error && !(fault instanceof StartRefusal)
    ? new StartRefusal(`${fault.message.replace(/\.$/, '')}.`, { cause: fault })
    : fault;

const queuesEnded = (reason: string): StartRefusal =>
  new StartRefusal(
    `The local queue engine ended while the service was running (${reason}): start the service again; everything acknowledged is in the data folder.`,
  );

/** Starts the engines on the folder's data, on the ports they had before where those are free. */
export const startEngines = async (folder: DataFolder, options: EngineOptions): Promise<Engines> => {
  const { before, warn } = options;
  const clock = systemClock;
  const started: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(started.map(engine => engine.close()));
  };
  try {
    const database = options.database
      ? databaseElsewhere(options.database)
      : await startDynoxide(folder.file(databaseFile), portOf(before.dynamodb));
    started.push(database);
    const sqs = await onPort(before.sqs, port =>
      startThreadedSqsEngine(
        { folder: folder.file('sqs'), port },
        {
          onFault: message => warn(`queues  ${message}`),
          ...(options.queueProgram ? { program: options.queueProgram } : {}),
        },
      ),
    );
    started.push(sqs);
    const kms = await onPort(before.kms, port =>
      startKmsEngine({
        folder: folder.file('kms'),
        port,
        clock,
        onFault: fault => warn(`keys  ${errorMessage(fault)}`),
      }),
    );
    started.push(kms);
    return {
      endpoints: { dynamodb: database.endpoint, sqs: sqs.endpoint, kms: kms.endpoint },
      failed: Promise.race([database.failed, sqs.failed.then(queuesEnded)]),
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

/** Makes the tables and the signing key that a new data folder lacks: what the deployment does on AWS. */
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
