import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig, clientOf } from '../../platform/aws/clients.ts';
import { openStore, type Store, storeFiles } from '../engines/store.ts';
import { openEngines } from '../engines.ts';
import { type LocalEnv, localTables } from '../env.ts';
import type { FaultInjector } from '../faults.ts';
import { openGateways } from '../gateway-server.ts';
import { provision } from '../provision.ts';
import { startService } from '../service.ts';
import type { TurnableClock } from './clock.ts';

interface TestServiceOptions {
  /** Absent: everything is in memory. */
  readonly folder?: string;
  readonly limits: boolean;
  readonly clock: TurnableClock;
  readonly faults: FaultInjector;
  print(line: string): void;
}

/** A bus in this process, without connections yet. */
export interface TestService {
  readonly baseUrl: string;
  readonly portalUrl: string;
  readonly env: LocalEnv;
  runJobs(): Promise<void>;
  /** Forgets all messages, and what was counted. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** Nobody listens there: the engines are reached in this process only. */
const endpoints = {
  dynamodb: 'http://dynamodb.invalid',
  sqs: 'http://sqs.invalid',
  kms: 'http://kms.invalid',
  cloudwatch: 'http://cloudwatch.invalid',
};

const newStore = (folder: string | undefined): Store => {
  if (folder === undefined) return openStore();
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'bus.sqlite');
  for (const file of storeFiles(path)) rmSync(file, { force: true });
  return openStore(path);
};

const emptyTables = async (env: LocalEnv): Promise<void> => {
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  for (const TableName of [localTables.ledger, localTables.activity])
    await client.send(new DeleteTableCommand({ TableName }));
  await provision(env);
};

/** A message that is sent again must not be taken for a duplicate of one that is forgotten. */
const emptyQueues = async (env: LocalEnv, store: Store): Promise<void> => {
  const client = clientOf(env, 'SQS', new SQSClient(clientConfig(env, 'SQS')));
  const { QueueUrls = [] } = await client.send(new ListQueuesCommand({}));
  for (const QueueUrl of QueueUrls) await client.send(new PurgeQueueCommand({ QueueUrl }));
  store.sql('DELETE FROM sqs_sends').run();
};

const noRoles = {
  kind: 'refused',
  problem: 'unknown_key',
  reason: 'A test bus has no cloud roles.',
} as const;

/**
 * Starts a bus in this process: the service of `sombus dev`, with a clock that can be turned and
 * nothing but what a test makes.
 */
export const startTestService = async (options: TestServiceOptions): Promise<TestService> => {
  const { clock } = options;
  // First, because it may fail: nothing listens then.
  const store = newStore(options.folder);
  const gateways = await openGateways({ port: 0, portalPort: 0 });
  const engines = openEngines(store, clock);
  const service = await startService(
    {
      ...options,
      ...{ gateways, store, engines: { ...engines, endpoints }, verifySignature: () => noRoles },
      // One look at each run of checks at a time: their pauses are the caller's turns of the clock.
      budgets: { checks: 0 },
    },
    provision,
  );
  return {
    // With its slash: clients resolve paths against it, as against a folder (RFC 3986 section
    // 5.2.3).
    baseUrl: `${gateways.bus.origin}/v1/`,
    portalUrl: gateways.portal.origin,
    env: service.env,
    async runJobs() {
      await service.schedule.runNow();
      engines.removeExpired(Number.MAX_SAFE_INTEGER);
    },
    async empty() {
      await emptyQueues(service.env, store);
      await emptyTables(service.env);
      service.limits?.forget();
    },
    async close() {
      clock.close();
      await service.close();
      await store.close();
    },
  };
};
