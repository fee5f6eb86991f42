import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../aws/clients.ts';
import { clientOf, serveInProcess } from '../aws/in-process.ts';
import { openDynamoDb, removeExpired } from '../engines/dynamodb/engine.ts';
import { dynamoDbOperations } from '../engines/dynamodb/operations.ts';
import { kmsOperations } from '../engines/kms/engine.ts';
import { sqsOperations } from '../engines/sqs/engine.ts';
import { openStore, type Store, storeFiles } from '../engines/store.ts';
import { authorise, cachedAuthoriser } from '../local/authorise.ts';
import { type LocalEnv, localEnv, localTables } from '../local/env.ts';
import type { FaultInjector } from '../local/faults.ts';
import { handlers, startSchedule } from '../local/functions.ts';
import { type GatewayLimits, gatewayLimits, type Notes } from '../local/gateway-limits.ts';
import { closeGateways, type Gateways, openGateways, serveGateways } from '../local/gateway-server.ts';
import { sendsInProcess } from '../local/in-process.ts';
import { provision } from '../local/provision.ts';
import { requestLines } from '../local/request-lines.ts';
import { limitedRequests } from '../wiring/activity.ts';
import { registry, setClock } from '../wiring/env.ts';
import { authoriserFunction } from '../wiring/tokens.ts';
import type { TurnableClock } from './clock.ts';

export interface ServiceOptions {
  /** Absent: everything is in memory. */
  readonly folder?: string;
  /** Whether rate limits and quotas are enforced. */
  readonly limits: boolean;
  readonly clock: TurnableClock;
  readonly faults: FaultInjector;
  /** Receives one line per request. */
  print(line: string): void;
}

/** A bus in this process, without connections yet. */
export interface Service {
  readonly baseUrl: string;
  readonly portalUrl: string;
  readonly env: LocalEnv;
  /** Does what is due on a schedule. */
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
};

/** A store of its own, which begins empty. */
const newStore = (folder: string | undefined): Store => {
  if (folder === undefined) return openStore();
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'bus.sqlite');
  for (const file of storeFiles(path)) rmSync(file, { force: true });
  return openStore(path);
};

const startEngines = (store: Store, { clock, faults }: ServiceOptions) => {
  const edges = { clock, newId: randomUUID };
  const dynamoDb = openDynamoDb(store, clock);
  const queues = sqsOperations(store, edges);
  return {
    inProcess: sendsInProcess({
      endpoints,
      operations: {
        dynamodb: dynamoDbOperations(dynamoDb),
        sqs: faults.aroundQueues(queues.operations),
        kms: kmsOperations(store, edges),
      },
    }),
    sweep: () => removeExpired(dynamoDb, Number.MAX_SAFE_INTEGER),
    endPolls: queues.endPolls,
  };
};

/** Limits that can be forgotten; nothing outlives the bus. */
const renewableLimits = (env: LocalEnv, now: () => number) => {
  const notes: Notes = { read: () => undefined, write: () => undefined };
  const make = (): GatewayLimits =>
    gatewayLimits({ registry: registry(env), limited: limitedRequests(env) }, notes, now);
  let limits = make();
  return {
    current: {
      admit: (...asked) => limits.admit(...asked),
      charge: (...asked) => limits.charge(...asked),
      usedToday: connection => limits.usedToday(connection),
      save: () => undefined,
    } satisfies GatewayLimits,
    renew: () => {
      limits = make();
    },
  };
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

const serve = (gateways: Gateways, env: LocalEnv, store: Store, options: ServiceOptions) => {
  const { clock, faults, print } = options;
  const limits = options.limits ? renewableLimits(env, clock.now) : undefined;
  const logFor = requestLines(print, clock.now);
  serveGateways(gateways, {
    handlers: faults.around(handlers(env, logFor)),
    logFor,
    authorise: authorise({
      authoriseToken: cachedAuthoriser(authoriserFunction(env), clock.now),
      verifySignature: () => ({
        kind: 'refused',
        problem: 'unknown_key',
        reason: 'A test bus has no cloud roles.',
      }),
    }),
    newRequestId: randomUUID,
    now: () => performance.now(),
    saved: () => store.saved(),
    loses: faults.loses,
    ...(limits ? { limits: limits.current } : {}),
  });
  return limits;
};

/** Starts a bus in this process: the same functions and engines as those of `sombus dev`, with a clock that can be turned. */
export const startService = async (options: ServiceOptions): Promise<Service> => {
  const gateways = await openGateways({ port: 0, portalPort: 0 });
  const store = newStore(options.folder);
  const engines = startEngines(store, options);
  const env = localEnv(gateways.bus.origin, endpoints);
  serveInProcess(env, engines.inProcess);
  setClock(env, options.clock);
  await provision(env);
  const limits = serve(gateways, env, store, options);
  const failed = (job: string, fault: unknown) => options.print(`${job}  failed: ${String(fault)}`);
  // One look at each run of checks at a time: their pauses are the caller's turns of the clock.
  const schedule = startSchedule(env, failed, { checks: 0 });
  return {
    // With its slash: clients resolve paths against it, as against a folder (RFC 3986 section 5.2.3).
    baseUrl: `${gateways.bus.origin}/v1/`,
    portalUrl: gateways.portal.origin,
    env,
    async runJobs() {
      await schedule.runNow();
      engines.sweep();
    },
    async empty() {
      await emptyQueues(env, store);
      await emptyTables(env);
      limits?.renew();
    },
    async close() {
      options.clock.close();
      const answered = closeGateways(gateways);
      engines.endPolls();
      await Promise.all([answered, schedule.close()]);
      await store.close();
    },
  };
};
