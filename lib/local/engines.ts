import { randomUUID } from 'node:crypto';
import {
  type Admit,
  type AwsJsonProtocol,
  type Operations,
  type RunningEngine,
  startAwsJsonServer,
} from '../engines/aws-json/server.ts';
import { openDynamoDb, removeExpired } from '../engines/dynamodb/engine.ts';
import { dynamoDbOperations, dynamoDbProtocol } from '../engines/dynamodb/operations.ts';
import { kmsOperations, kmsProtocol } from '../engines/kms/engine.ts';
import { type EngineClock, errorCode, errorMessage, systemClock } from '../engines/machine.ts';
import { sqsOperations, sqsProtocol } from '../engines/sqs/engine.ts';
import { openStore, type Store } from '../engines/store.ts';
import { type EngineKeys, operatorAdmission, queueAdmission } from './admission.ts';
import type { Endpoints } from './env.ts';
import { localAccessKeys } from './roles.ts';
import { startSignIn } from './sign-in.ts';
import type { SigningKey } from './sigv4.ts';
import { StartRefusal } from './start-refusal.ts';

/** The local AWS services: in this process, and on loopback for everybody else. */
export interface Engines {
  readonly endpoints: Endpoints;
  /** What the service's own clients ask, without signatures. */
  readonly operations: Readonly<Record<keyof Endpoints, Operations>>;
  readonly failed: Promise<StartRefusal>;
  sweep(): boolean;
  /** Answers pending long polls at once, so that closing need not wait for them. */
  endPolls(): void;
  close(): Promise<void>;
}

interface EngineOptions {
  readonly clock: EngineClock;
  readonly before: Partial<Endpoints>;
  /** Whose requests they answer; absent: everybody's. */
  readonly keys?: EngineKeys;
  readonly hosts: readonly string[];
  warn(line: string): void;
}

/** Starts on the port of the last run, or on any free port if that is taken. */
const onPort = async <E>(before: string | undefined, start: (port: number) => Promise<E>): Promise<E> => {
  try {
    return await start(before === undefined ? 0 : Number(new URL(before).port));
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE') throw error;
    return start(0);
  }
};

interface Served {
  readonly name: keyof Endpoints;
  readonly protocol: AwsJsonProtocol;
  readonly operations: Operations;
  readonly admit: Admit | undefined;
}

const serve = (
  store: Store,
  { before, hosts, warn }: EngineOptions,
  served: Served,
): Promise<RunningEngine> =>
  onPort(before[served.name], port =>
    startAwsJsonServer(
      { ...served.protocol, operations: served.operations },
      {
        port,
        hosts,
        beforeResponse: () => store.saved(),
        onError: error => warn(`${served.name}  ${errorMessage(error)}`),
        ...(served.admit ? { admit: served.admit } : {}),
      },
    ),
  );

const maxSwept = 100;

const storeFailed = (error: Error): StartRefusal =>
  new StartRefusal(
    `The disk did not take what the service wrote (${error.message}): check the disk, then start the service again. No accepted message is lost.`,
  );

export const openEngines = (store: Store, clock: EngineClock) => {
  const edges = { clock, newId: randomUUID };
  const dynamoDb = openDynamoDb(store, clock);
  const queues = sqsOperations(store, edges);
  return {
    operations: {
      dynamodb: dynamoDbOperations(dynamoDb),
      sqs: queues.operations,
      kms: kmsOperations(store, edges),
    },
    findQueue: queues.find,
    endPolls: queues.endPolls,
    removeExpired: (max: number) => removeExpired(dynamoDb, max),
  };
};

export const startEngines = async (store: Store, options: EngineOptions): Promise<Engines> => {
  const { clock, keys } = options;
  const { operations, findQueue, endPolls, removeExpired } = openEngines(store, clock);
  const running: RunningEngine[] = [];
  const start = async (name: keyof Endpoints, protocol: AwsJsonProtocol, admit: Admit | undefined) => {
    const engine = await serve(store, options, { name, protocol, operations: operations[name], admit });
    running.push(engine);
    return engine.endpoint;
  };
  const close = async (): Promise<void> => {
    endPolls();
    await Promise.all(running.map(engine => engine.close()));
  };
  try {
    const endpoints = {
      dynamodb: await start('dynamodb', dynamoDbProtocol, keys && operatorAdmission(keys, 'dynamodb')),
      sqs: await start('sqs', sqsProtocol, keys && queueAdmission(keys, findQueue)),
      kms: await start('kms', kmsProtocol, keys && operatorAdmission(keys, 'kms')),
    };
    return {
      endpoints,
      operations,
      failed: store.failed.then(storeFailed),
      sweep: () => removeExpired(maxSwept) === maxSwept,
      endPolls,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
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
    } catch (error) {
      warn(`dynamodb  ${errorMessage(error)}`);
    }
    // Requests come in between.
    timer = setTimeout(sweepSome, more ? 0 : sweepEveryMilliseconds);
  };
  timer = setTimeout(sweepSome, sweepEveryMilliseconds);
  return () => clearTimeout(timer);
};

interface StoredOptions extends Pick<EngineOptions, 'before' | 'hosts' | 'warn'> {
  readonly folder: string;
  readonly database: string;
  readonly operator: SigningKey;
  readonly openEngines: boolean;
  readonly portal: string;
}

/** Everything that works on the database: the engines, the local sign-in, upkeep. */
export interface StoredEngines extends Engines {
  readonly store: Store;
  readonly signIn: Readonly<Record<string, string>>;
}

const open = (path: string): Store => {
  try {
    return openStore(path);
  } catch (error) {
    throw new StartRefusal(`The database ${path} cannot be opened (${errorMessage(error)}).`, {
      cause: error,
    });
  }
};

const startStored = async (store: Store, options: StoredOptions): Promise<StoredEngines> => {
  const { folder, operator, openEngines, hosts, before, portal, warn } = options;
  const keys: EngineKeys = { operator, role: localAccessKeys(folder), now: Date.now };
  const common = { hosts, before, warn, clock: systemClock };
  const engines = await startEngines(store, { ...common, ...(openEngines ? {} : { keys }) });
  try {
    const signIn = await startSignIn(store, process.env, { portal, operator, hosts, warn });
    const endSweeping = startSweeping(engines, { warn });
    return {
      ...engines,
      store,
      signIn: signIn.variables,
      async close() {
        endSweeping();
        await signIn.close();
        await engines.close();
        await store.close();
      },
    };
  } catch (error) {
    await engines.close();
    throw error;
  }
};

/**
 * Opens the database and starts what works on it. The caller holds the folder's lock.
 *
 * @throws StartRefusal when the database cannot be opened
 */
export const openStoredEngines = async (options: StoredOptions): Promise<StoredEngines> => {
  const store = open(options.database);
  try {
    return await startStored(store, options);
  } catch (error) {
    // What stopped the start is what to say, whatever closing adds.
    await store.close().catch(() => undefined);
    throw error;
  }
};
