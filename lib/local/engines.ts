import { randomUUID } from 'node:crypto';
import { type EngineKeys, operatorAdmission, queueAdmission } from './admission.ts';
import {
  type Admit,
  type AwsJsonProtocol,
  type Operations,
  type RunningEngine,
  startAwsJsonServer,
} from './engines/aws-json/server.ts';
import { cloudWatchOperations, cloudWatchProtocol } from './engines/cloudwatch/engine.ts';
import { openDynamoDb, removeExpired } from './engines/dynamodb/engine.ts';
import { dynamoDbOperations, dynamoDbProtocol } from './engines/dynamodb/operations.ts';
import { kmsOperations, kmsProtocol } from './engines/kms/engine.ts';
import { type EngineClock, errorCode, errorMessage } from './engines/machine.ts';
import { sqsOperations, sqsProtocol } from './engines/sqs/engine.ts';
import type { Store } from './engines/store.ts';
import type { Endpoints } from './env.ts';

type EngineName = keyof Endpoints;

/** The local AWS services: in this process, and on loopback for everybody else. */
export interface Engines {
  readonly endpoints: Endpoints;
  /** What the service's own clients ask, without signatures. */
  readonly operations: Readonly<Record<EngineName, Operations>>;
  removeExpired(max: number): number;
  /** Answers pending long polls at once, so that closing need not wait for them. */
  endPolls(): void;
  close(): Promise<void>;
}

interface EngineOptions {
  readonly clock: EngineClock;
  readonly before: Partial<Endpoints>;
  /** Whose requests they answer; absent: everybody's. */
  readonly keys?: EngineKeys | undefined;
  readonly hosts: readonly string[];
  warn(line: string): void;
}

/** Starts on the port of the last run, or on any free port if that is taken. */
const onPort = async <E>(
  before: string | undefined,
  start: (port: number) => Promise<E>,
): Promise<E> => {
  try {
    return await start(before === undefined ? 0 : Number(new URL(before).port));
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE') throw error;
    return start(0);
  }
};

export const openEngines = (store: Store, clock: EngineClock) => {
  const edges = { clock, newId: randomUUID };
  const dynamoDb = openDynamoDb(store, clock);
  const queues = sqsOperations(store, edges);
  return {
    operations: {
      dynamodb: dynamoDbOperations(dynamoDb),
      sqs: queues.operations,
      kms: kmsOperations(store, edges),
      cloudwatch: cloudWatchOperations(queues),
    },
    findQueue: queues.find,
    endPolls: queues.endPolls,
    removeExpired: (max: number) => removeExpired(dynamoDb, max),
  };
};

export const startEngines = async (store: Store, options: EngineOptions): Promise<Engines> => {
  const { clock, keys, before, hosts, warn } = options;
  const { findQueue, ...engines } = openEngines(store, clock);
  const running: RunningEngine[] = [];
  const start = async (name: EngineName, protocol: AwsJsonProtocol, admit: Admit | undefined) => {
    const served = { ...protocol, operations: engines.operations[name] };
    const onError = (error: unknown) => warn(`${name}  ${errorMessage(error)}`);
    const edges = {
      hosts,
      beforeResponse: () => store.saved(),
      onError,
      ...(admit && { admit }),
    };
    const engine = await onPort(before[name], port =>
      startAwsJsonServer(served, { port, ...edges }),
    );
    running.push(engine);
    return engine.endpoint;
  };
  const close = async (): Promise<void> => {
    engines.endPolls();
    await Promise.all(running.map(engine => engine.close()));
  };
  try {
    const endpoints = {
      dynamodb: await start(
        'dynamodb',
        dynamoDbProtocol,
        keys && operatorAdmission(keys, 'dynamodb'),
      ),
      sqs: await start('sqs', sqsProtocol, keys && queueAdmission(keys, findQueue)),
      kms: await start('kms', kmsProtocol, keys && operatorAdmission(keys, 'kms')),
      cloudwatch: await start(
        'cloudwatch',
        cloudWatchProtocol,
        keys && operatorAdmission(keys, 'monitoring'),
      ),
    };
    return { ...engines, endpoints, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const maxSwept = 100;
const sweepEveryMilliseconds = 10_000;

/** Deletes expired items now and then, as long as there are any, and returns what ends that. */
export const startSweeping = (
  { removeExpired }: Pick<Engines, 'removeExpired'>,
  { warn }: Pick<EngineOptions, 'warn'>,
): (() => void) => {
  let timer: NodeJS.Timeout;
  const sweep = () => {
    let more = false;
    try {
      more = removeExpired(maxSwept) === maxSwept;
    } catch (error) {
      warn(`dynamodb  ${errorMessage(error)}`);
    }
    // Requests come in between.
    timer = setTimeout(sweep, more ? 0 : sweepEveryMilliseconds);
  };
  timer = setTimeout(sweep, sweepEveryMilliseconds);
  return () => clearTimeout(timer);
};
