import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TableName } from '../../lib/contract/tables.ts';
import { type EngineClock, systemClock } from '../../lib/local/engines/machine.ts';
import { openStore } from '../../lib/local/engines/store.ts';
import { type Engines, startEngines } from '../../lib/local/engines.ts';
import { type LocalEnv, localEnv, localTables } from '../../lib/local/env.ts';
import { sendsInProcess } from '../../lib/local/in-process.ts';
import { createTables } from '../../lib/local/provision.ts';
import { clientConfig, clientOf, serveInProcess } from '../../lib/platform/aws/clients.ts';
import type { Table } from '../../lib/platform/aws/table.ts';

/** Running engines, and how SDK clients of this process reach them without the wire. */
interface LocalAws extends Engines {
  readonly inProcess: ReturnType<typeof sendsInProcess>;
}

/** The local engines in memory, in this process and on loopback. They answer everybody. */
export const startLocalAws = async (clock: EngineClock = systemClock): Promise<LocalAws> => {
  const store = openStore();
  const engines = await startEngines(store, {
    clock,
    before: {},
    hosts: [],
    warn: () => undefined,
  });
  return {
    ...engines,
    inProcess: sendsInProcess(engines),
    async close() {
      await engines.close();
      await store.close();
    },
  };
};

/**
 * Empty tables in this process for the tests of a file, and an environment whose adapters reach
 * them; they are there in hooks and tests.
 */
export const tablesHere = () => {
  let stop: () => Promise<void>;
  let env: LocalEnv;
  let client: DynamoDBClient;
  beforeAll(async () => {
    const aws = await startLocalAws();
    env = localEnv('http://127.0.0.1', aws.endpoints);
    serveInProcess(env, aws.inProcess);
    await createTables(env, localTables);
    client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
    stop = () => aws.close();
  });
  afterAll(() => stop());
  return {
    env: () => env,
    table: (name: TableName): Table => ({ client, name: localTables[name] }),
  };
};
