import {
  type Operation,
  type RunningEngine,
  startAwsJsonServer,
} from '../../lib/local/engines/aws-json/server.ts';
import { kmsOperations, kmsProtocol } from '../../lib/local/engines/kms/engine.ts';
import type { EngineClock } from '../../lib/local/engines/machine.ts';
import { sqsOperations, sqsProtocol } from '../../lib/local/engines/sqs/engine.ts';
import { openStore, type Store } from '../../lib/local/engines/store.ts';

interface EngineServerOptions {
  /** The database's file; in memory if absent. */
  readonly path?: string;
  readonly clock?: EngineClock;
  /** Called with errors that are not refusals. */
  readonly onError?: (error: unknown) => void;
}

/** A running SQS engine. */
export interface SqsServer extends RunningEngine {
  /** How many long polls are waiting. */
  readonly waiting: number;
}

/** Counts the responses of an operation that are still to come. */
const counted = (operation: Operation | undefined) => {
  const count = { waiting: 0 };
  const counting: Operation = (input, call) => {
    const response = operation?.(input, call) ?? {};
    if (!(response instanceof Promise)) return response;
    count.waiting += 1;
    return response.finally(() => {
      count.waiting -= 1;
    });
  };
  return { count, counting };
};

type Service = Parameters<typeof startAwsJsonServer>[0];

/** A service on a database of its own, which is closed with it. */
const serve = async (store: Store, service: Service, { onError }: EngineServerOptions) => {
  const { endpoint, close } = await startAwsJsonServer(service, {
    port: 0,
    beforeResponse: () => store.saved(),
    ...(onError && { onError }),
  });
  return {
    endpoint,
    async close() {
      await close();
      await store.close();
    },
  };
};

/** The local SQS engine on a database of its own, for SDK clients. */
export const startSqsEngine = async (options: EngineServerOptions = {}): Promise<SqsServer> => {
  const { path, clock } = options;
  const store = openStore(path);
  const { operations, endPolls } = sqsOperations(store, clock && { clock });
  const { count, counting } = counted(operations.get('ReceiveMessage'));
  const observed = new Map([...operations, ['ReceiveMessage', counting]]);
  const server = await serve(store, { ...sqsProtocol, operations: observed }, options);
  return {
    endpoint: server.endpoint,
    get waiting() {
      return count.waiting;
    },
    async close() {
      endPolls();
      await server.close();
    },
  };
};

/** The local KMS engine on a database of its own, for SDK clients. */
export const startKmsEngine = async (options: EngineServerOptions = {}): Promise<RunningEngine> => {
  const { path, clock } = options;
  const store = openStore(path);
  const operations = kmsOperations(store, clock && { clock });
  return serve(store, { ...kmsProtocol, operations }, options);
};
