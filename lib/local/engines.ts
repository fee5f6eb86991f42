import { randomUUID } from 'node:crypto';
import {
  type Admit,
  type AwsJsonProtocol,
  type Operations,
  type RunningEngine,
  startAwsJsonServer,
} from '../engines/aws-json/server.ts';
import { committing } from '../engines/committing.ts';
import { type DynamoDb, openDynamoDb } from '../engines/dynamodb/engine.ts';
import { removeExpired } from '../engines/dynamodb/expiry.ts';
import { dynamoDbOperations, dynamoDbProtocol } from '../engines/dynamodb/operations.ts';
import { kmsOperations, kmsProtocol } from '../engines/kms/engine.ts';
import { type EngineClock, errorCode, errorMessage } from '../engines/machine.ts';
import { type SqsEngine, sqsOperations, sqsProtocol } from '../engines/sqs/engine.ts';
import { DamagedStore } from '../engines/store/durable-log.ts';
import type { Store } from '../engines/store/store.ts';
import { admitSigned, type EngineKeys, operatorAdmission, queueAdmission } from './admission.ts';
import type { Endpoints } from './env.ts';
import { damagedStore, StartRefusal } from './start-refusal.ts';

/** The local AWS services: in this process, and on loopback for everybody else. */
export interface Engines {
  readonly endpoints: Endpoints;
  /** What the service's own clients ask, without signatures. */
  readonly operations: Partial<Readonly<Record<keyof Endpoints, Operations>>>;
  /** Resolves with the reason if the engines cannot continue. */
  readonly failed: Promise<StartRefusal>;
  /** Resolves when all that was changed so far is on disk. */
  saved(): Promise<void>;
  /** Deletes some of the items that have expired; whether there may be more. */
  sweep(): boolean;
  /** Answers pending long polls at once, so that closing need not wait for them. */
  endPolls(): void;
  close(): Promise<void>;
}

/** How the engines start. */
interface EngineOptions {
  readonly clock: EngineClock;
  /** Their addresses in the last run. */
  readonly before: Partial<Endpoints>;
  /** The address of a running database, to use instead of the built-in one. */
  readonly database?: string;
  /** Whose requests they answer; absent: everybody's. */
  readonly keys?: EngineKeys;
  /** Host names that they answer to, besides those of the loopback addresses. */
  readonly hosts: readonly string[];
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

/** A service as it is served on loopback. */
interface Served {
  readonly name: keyof Endpoints;
  readonly protocol: AwsJsonProtocol;
  readonly operations: Operations;
  readonly admit: Admit | undefined;
}

const serve = (
  store: Store,
  { before, hosts, keys, warn }: EngineOptions,
  served: Served,
): Promise<RunningEngine> =>
  onPort(before[served.name], port =>
    startAwsJsonServer(
      { ...served.protocol, operations: served.operations },
      {
        port,
        hosts,
        beforeAnswer: () => store.saved(),
        onFault: fault => warn(`${served.name}  ${errorMessage(fault)}`),
        ...(served.admit ? { admit: served.admit } : {}),
        ...(keys ? { admitHeaders: admitSigned(keys, served.name) } : {}),
      },
    ),
  );

/** Few enough for a pause that nobody notices. */
const maxSwept = 100;

const storeFailed = (fault: Error): StartRefusal =>
  fault instanceof DamagedStore
    ? damagedStore(fault.file)
    : new StartRefusal(
        `The disk did not take what the service wrote (${fault.message}): check the disk, then start the service again. No accepted message is lost.`,
      );

/** What is served: everything, or all but the database if that is elsewhere. */
const served = (
  { store, dynamoDb, queues }: { store: Store; dynamoDb: DynamoDb | undefined; queues: SqsEngine },
  { keys, clock }: EngineOptions,
): readonly Served[] => [
  ...(dynamoDb
    ? [
        {
          name: 'dynamodb',
          protocol: dynamoDbProtocol,
          operations: dynamoDbOperations(dynamoDb),
          admit: keys && operatorAdmission(keys, 'dynamodb'),
        } as const,
      ]
    : []),
  {
    name: 'sqs',
    protocol: sqsProtocol,
    operations: queues.operations,
    admit: keys && queueAdmission(keys, queues.find),
  },
  {
    name: 'kms',
    protocol: kmsProtocol,
    operations: kmsOperations(store, { clock, newId: randomUUID }).operations,
    admit: keys && operatorAdmission(keys, 'kms'),
  },
];

/** Starts the engines on a store, on their previous ports if those are free. */
export const startEngines = async (store: Store, options: EngineOptions): Promise<Engines> => {
  const queues = sqsOperations(store, { clock: options.clock, newId: randomUUID });
  const dynamoDb = options.database === undefined ? openDynamoDb(store, options.clock) : undefined;
  const endpoints = { dynamodb: options.database ?? '', sqs: '', kms: '' };
  const operations: Partial<Record<keyof Endpoints, Operations>> = {};
  // A database elsewhere may note at once what was done here: then it must be on disk before. With ours, one log orders both.
  const committed = dynamoDb ? () => store.committed() : () => store.saved();
  const running: RunningEngine[] = [];
  const close = async (): Promise<void> => {
    queues.endPolls();
    await Promise.all(running.map(engine => engine.close()));
  };
  try {
    for (const service of served({ store, dynamoDb, queues }, options)) {
      const engine = await serve(store, options, service);
      running.push(engine);
      endpoints[service.name] = engine.endpoint;
      operations[service.name] = committing(service.operations, committed);
    }
  } catch (fault) {
    await close();
    throw fault;
  }
  const failed = store.failed.then(storeFailed);
  return {
    endpoints,
    operations,
    failed,
    saved: () => store.saved(),
    sweep: () => dynamoDb !== undefined && removeExpired(dynamoDb, maxSwept) === maxSwept,
    endPolls: queues.endPolls,
    close,
  };
};

const sweepEveryMilliseconds = 10_000;

/** Deletes expired items now and then, as long as there are any, and returns what ends that. */
export const startSweeping = (
  { sweep }: Pick<Engines, 'sweep'>,
  { warn }: Pick<EngineOptions, 'warn'>,
): (() => void) => {
  let timer: NodeJS.Timeout;
  const sweepSome = () => {
    let more = false;
    try {
      more = sweep();
    } catch (fault) {
      warn(`dynamodb  ${errorMessage(fault)}`);
    }
    // Requests come in between.
    timer = setTimeout(sweepSome, more ? 0 : sweepEveryMilliseconds);
  };
  timer = setTimeout(sweepSome, sweepEveryMilliseconds);
  return () => clearTimeout(timer);
};

const checkEveryMilliseconds = 50;

/** Checks what of the database was opened unchecked, a megabyte at a time, and returns what ends that. */
export const startChecking = (store: Pick<Store, 'check'>): (() => void) => {
  const timer = setInterval(() => {
    if (!store.check()) clearInterval(timer);
  }, checkEveryMilliseconds);
  return () => clearInterval(timer);
};
