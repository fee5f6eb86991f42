import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { awsQueueAdmin } from '../../lib/access/trust/queue-access.sqs.ts';
import type { QueueAdmin } from '../../lib/access/trust/queue-access.ts';
import { awsInbox } from '../../lib/bus/consuming/inbox.sqs.ts';
import type { WaitingPolls } from '../../lib/bus/consuming/pull.ts';
import { awsReceipts } from '../../lib/bus/consuming/receipts.dynamodb.ts';
import type { Inbox, Receipts } from '../../lib/bus/consuming/receipts.ts';
import { awsWaitingPolls } from '../../lib/bus/consuming/waiting-polls.dynamodb.ts';
import { awsLedger } from '../../lib/bus/delivery/ledger.dynamodb.ts';
import { awsBacklog, awsLog } from '../../lib/bus/delivery/log.dynamodb.ts';
import type { Ledger, Log } from '../../lib/bus/delivery/log.ts';
import { awsQueues } from '../../lib/bus/delivery/queues.sqs.ts';
import type { Queues } from '../../lib/bus/delivery/queues.ts';
import type { PendingLogs } from '../../lib/bus/delivery/relay.ts';
import { awsArchive } from '../../lib/bus/replay/archive.dynamodb.ts';
import type { Archive, Replays } from '../../lib/bus/replay/replay.ts';
import { awsReplays } from '../../lib/bus/replay/replays.dynamodb.ts';
import { type LocalEnv, localEnv, localTables } from '../../lib/local/env.ts';
import { createTables } from '../../lib/local/provision.ts';
import { clientConfig, clientOf, serveInProcess } from '../../lib/platform/aws/clients.ts';
import { guardedQueueHome } from '../../lib/wiring/registry.ts';
import { portsOf } from '../simulation/ports-of.ts';
import { SimQueue } from '../simulation/sim-queue.ts';
import { World } from '../simulation/world.ts';
import { dynamoDbLocalLacks, startDynamoDbLocal } from './dynamodb-local.ts';
import { startLocalAws } from './local-aws.ts';

/** The clock of the ports under test. */
export interface TestClock {
  now: number;
}

export interface LedgerPorts {
  readonly ledger: Ledger;
  readonly log: Log;
  readonly backlog: PendingLogs;
  readonly archive: Pick<Archive, 'page' | 'entries'>;
  readonly receipts: Receipts;
  readonly replays: Replays;
  readonly polls: WaitingPolls;
}

export interface Running<P> {
  readonly ports: P;
  close(): Promise<void>;
}

/** An engine that a port's contract is tested on. */
export interface Engine<P> {
  readonly name: string;
  /** The reason why it cannot run here. */
  readonly lacks?: string | undefined;
  start(clock: TestClock): Promise<Running<P>>;
}

const ledgerPorts = async (env: LocalEnv, time: TestClock): Promise<Running<LedgerPorts>> => {
  await createTables(env, localTables);
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  const table = { client, name: localTables.ledger };
  const clock = { now: () => time.now, sleep: async () => undefined };
  return {
    ports: {
      ledger: awsLedger(table, { clock, archiveDays: 30 }),
      log: awsLog(table),
      backlog: awsBacklog(table),
      archive: awsArchive(table),
      receipts: awsReceipts(table, clock),
      replays: awsReplays(table),
      polls: awsWaitingPolls(table, clock),
    },
    close: async () => client.destroy(),
  };
};

/** Advances virtual time with every call, so that simulated ports can be called like real ones. */
const stepping = <P extends object>(world: World, port: P): P =>
  new Proxy(port, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        const result = Promise.resolve(method.apply(target, args));
        await world.scheduler.run(result, 10_000);
        return result;
      };
    },
  });

const simulatedWorld = (time: TestClock) => {
  const world = new World({ seed: 1 });
  const process = world.process('test');
  Object.defineProperty(process, 'now', { value: () => time.now });
  return { world, ports: portsOf(world, process) };
};

/**
 * The engines for the tests of the ledger's ports: the simulated ports, made of the fakes, must
 * behave like the real ones.
 */
export const ledgerEngines: readonly Engine<LedgerPorts>[] = [
  {
    name: 'the simulation',
    async start(time) {
      const { world, ports } = simulatedWorld(time);
      return {
        ports: {
          ledger: stepping(world, ports.ledger),
          log: stepping(world, ports.log),
          backlog: stepping(world, ports.backlog),
          archive: stepping(world, ports.archive),
          receipts: stepping(world, ports.receipts),
          replays: stepping(world, ports.replays),
          polls: stepping(world, ports.polls),
        },
        close: async () => undefined,
      };
    },
  },
  ...(['in process', 'over the wire'] as const).map(how => ({
    name: `the local engine ${how}`,
    async start(time: TestClock) {
      const aws = await startLocalAws();
      const env = localEnv('http://127.0.0.1', aws.endpoints);
      if (how === 'in process') serveInProcess(env, aws.inProcess);
      const running = await ledgerPorts(env, time);
      return {
        ports: running.ports,
        async close() {
          await running.close();
          await aws.close();
        },
      };
    },
  })),
];

/** The ledger's ports on what Amazon gives away for tests: it needs Java. */
export const dynamoDbLocal: Engine<LedgerPorts> = {
  name: "Amazon's DynamoDB Local",
  lacks: dynamoDbLocalLacks(),
  async start(time) {
    const engine = await startDynamoDbLocal();
    const endpoints = { dynamodb: engine.endpoint, sqs: '', kms: '', cloudwatch: '' };
    const running = await ledgerPorts(localEnv('http://127.0.0.1', endpoints), time);
    return {
      ports: running.ports,
      async close() {
        await running.close();
        await engine.close();
      },
    };
  },
};

export interface QueuePorts {
  readonly queues: Queues;
  readonly inbox: Inbox;
  readonly queueAdmin: Pick<QueueAdmin, 'create' | 'remove'>;
}

export const queueEngines: readonly Engine<QueuePorts>[] = [
  {
    name: 'the simulation',
    async start(time) {
      const { world, ports } = simulatedWorld(time);
      const queueAdmin = {
        create: async (queue: string) => void world.queues.set(queue, new SimQueue()),
        remove: async (queue: string) => void world.queues.delete(queue),
      };
      // The simulation also checks that senders hold a lease. That is no part of the port, and is
      // ignored here.
      return {
        ports: {
          queues: stepping(world, ports.queues),
          inbox: stepping(world, ports.inbox),
          queueAdmin,
        },
        close: async () => undefined,
      };
    },
  },
  ...(['in process', 'over the wire'] as const).map(how => ({
    name: `the local engine ${how}`,
    async start() {
      const aws = await startLocalAws();
      const env = localEnv('http://127.0.0.1', aws.endpoints);
      if (how === 'in process') serveInProcess(env, aws.inProcess);
      const client = clientOf(
        env,
        'SQS',
        new SQSClient(clientConfig(env, 'SQS', { requestTimeout: 25_000 })),
      );
      const home = { ...guardedQueueHome(env), client };
      return {
        ports: { queues: awsQueues(home), inbox: awsInbox(home), queueAdmin: awsQueueAdmin(home) },
        async close() {
          client.destroy();
          await aws.close();
        },
      };
    },
  })),
];
