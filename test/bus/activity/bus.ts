import { randomBytes, randomUUID } from 'node:crypto';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Connection } from '../../../lib/access/registry/connection.ts';
import { awsSeals } from '../../../lib/access/seals/seal-ring.dynamodb.ts';
import type { Principal } from '../../../lib/access/trust/principals.ts';
import { awsQueueAdmin } from '../../../lib/access/trust/queue-access.sqs.ts';
import { awsHistory } from '../../../lib/bus/activity/history.dynamodb.ts';
import { lifeOf } from '../../../lib/bus/activity/message-life.ts';
import { awsRecorder } from '../../../lib/bus/activity/records.dynamodb.ts';
import type { Receive, Recorder } from '../../../lib/bus/activity/records.ts';
import { awsInbox } from '../../../lib/bus/consuming/inbox.sqs.ts';
import { pull } from '../../../lib/bus/consuming/pull.ts';
import { awsQueueAges } from '../../../lib/bus/consuming/queue-ages.cloudwatch.ts';
import { awsReceipts } from '../../../lib/bus/consuming/receipts.dynamodb.ts';
import { acknowledge, release } from '../../../lib/bus/consuming/settle.ts';
import { awsWaitingPolls } from '../../../lib/bus/consuming/waiting-polls.dynamodb.ts';
import { awsAcceptances, awsLedger } from '../../../lib/bus/delivery/ledger.dynamodb.ts';
import { awsBacklog, awsLog } from '../../../lib/bus/delivery/log.dynamodb.ts';
import { awsQueueDepths, awsQueues } from '../../../lib/bus/delivery/queues.sqs.ts';
import { publish } from '../../../lib/bus/publishing/publish.ts';
import { awsArchive, awsArchiveTail } from '../../../lib/bus/replay/archive.dynamodb.ts';
import { backlogOf } from '../../../lib/bus/replay/queue-view.ts';
import type { Replay } from '../../../lib/bus/replay/replay.ts';
import { audienceFor, runAudience } from '../../../lib/checks/run-audience.http.ts';
import { runOfCorrelation } from '../../../lib/contract/identifiers.ts';
import type { Part } from '../../../lib/contract/outside.ts';
import { localEnv, localTables } from '../../../lib/local/env.ts';
import { createTables } from '../../../lib/local/provision.ts';
import {
  clientConfig,
  clientOf,
  type SendCommand,
  serveInProcess,
} from '../../../lib/platform/aws/clients.ts';
import { guardedQueueHome } from '../../../lib/wiring/registry.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { FrozenClock } from '../../local/engines/support/frozen-clock.ts';
import { correlation, time } from '../../support/entries.ts';
import { registryOver } from '../../support/fakes/registry.ts';
import { noTestRuns } from '../../support/fakes/test-runs.ts';
import { startLocalAws } from '../../support/local-aws.ts';
import { linkCommitted } from '../../support/messages.ts';

export const workspace = 'waaaaaaaaaaaa';
export const producer = connectionOf('caaaaaaaaaaaa', 'producer', workspace);

/** A call of an AWS service, and when it began and ended in ticks. */
export interface Call {
  readonly name: string;
  readonly began: number;
  ended: number;
}

const readers: readonly string[] = ['QueryCommand', 'BatchGetItemCommand', 'GetItemCommand'];

/** A run of checks that goes on, with the consumer cbbbbbbbbbbbb. */
export const run = 'taaaaaaaaaaaa';

/**
 * Publishing, consuming and records on the local engines in this process, under a clock that the
 * test moves.
 */
export const startBus = async () => {
  const clock = new FrozenClock(time);
  const aws = await startLocalAws(clock);
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  const calls: Call[] = [];
  let tick = 0;
  const recorded = (send: unknown): SendCommand => {
    return async (command, options) => {
      tick += 1;
      const call = { name: command.constructor.name, began: tick, ended: 0 };
      calls.push(call);
      const response = await (send as SendCommand)(command, options);
      tick += 1;
      call.ended = tick;
      return response;
    };
  };
  const { DYNAMODB, SQS } = aws.inProcess;
  serveInProcess(env, { ...aws.inProcess, DYNAMODB: recorded(DYNAMODB), SQS: recorded(SQS) });
  await createTables(env, localTables);
  const client = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  const home = {
    ...guardedQueueHome(env),
    client: clientOf(env, 'SQS', new SQSClient(clientConfig(env, 'SQS'))),
  };
  const ledgerTable = { client, name: localTables.ledger };
  const activityTable = { client, name: localTables.activity };
  const connections = new Map<string, Connection>([[producer.id, producer]]);
  const replays = new Map<string, Replay>();
  const lost: unknown[] = [];
  const portClock = { now: () => clock.now(), sleep: async () => undefined };
  const ids = { random: (bytes: number) => randomBytes(bytes) };
  const testRuns = {
    ...noTestRuns,
    audienceOf: async (id: string) =>
      id === run ? { consumer: 'cbbbbbbbbbbbb', labels: [] } : undefined,
  };
  const ports = {
    clock: portClock,
    ids,
    registry: registryOver({ connections: () => [...connections.values()] }),
    ledger: awsLedger(ledgerTable, { clock: portClock, archiveDays: 30 }),
    log: awsLog(ledgerTable),
    backlog: awsBacklog(ledgerTable),
    queues: awsQueues(home),
    inbox: awsInbox(home),
    receipts: awsReceipts(ledgerTable, portClock),
    seals: awsSeals({ client, name: localTables.registry }, { clock: portClock, ids }),
    polls: awsWaitingPolls(ledgerTable, portClock),
    recorder: awsRecorder(activityTable, {
      ids,
      archiveDays: 30,
      lost: (_kind, error) => lost.push(error),
    }),
    history: awsHistory(activityTable),
    acceptances: awsAcceptances(ledgerTable),
    testRuns,
    audience: runAudience({ clock: portClock, testRuns }),
    archive: awsArchive(ledgerTable),
    archiveTail: awsArchiveTail(ledgerTable),
    depths: awsQueueDepths(home),
    queueAges: awsQueueAges(
      clientOf(env, 'CLOUDWATCH', new CloudWatchClient(clientConfig(env, 'CLOUDWATCH'))),
      portClock,
    ),
    principals: { list: async (): Promise<readonly Principal[]> => [] },
    replays: {
      find: async (id: string) => replays.get(id),
      findAll: async (ids: readonly string[]) => ids.flatMap(id => replays.get(id) ?? []),
    },
    replayList: {
      ofConnection: async (connection: string, { max }: Part) => {
        const own = [...replays.values()].filter(one => one.connection === connection).reverse();
        const entries = own.slice(0, max).map(({ id }) => id);
        return own.length > max ? { entries, next: 'more' } : { entries };
      },
    },
  };
  return {
    clock,
    ports,
    connections,
    lost,
    activityTable,
    ledgerTableName: ledgerTable.name,
    queueHome: home,
    async addConsumer(id: string): Promise<Connection> {
      const consumer = connectionOf(id, 'consumer', workspace);
      await awsQueueAdmin(home).create(consumer.queue ?? '');
      connections.set(id, consumer);
      return consumer;
    },
    /** The calls of AWS services so far, in order. */
    calls,
    /** How many calls read tables. */
    reads: () => calls.filter(({ name }) => readers.includes(name)).length,
    /** Sends a copy of an accepted message, as a replay of it alone does. */
    async replay(consumer: Connection, messageId: string, id: string): Promise<void> {
      const found = await ports.acceptances.find(workspace, messageId);
      if (!found) throw new Error('The message was accepted.');
      const { entry } = found;
      const at = clock.now();
      const range = { from: entry.acceptedAt, to: entry.acceptedAt + 1 };
      const progress = { sent: 1, next: 1, reached: entry.acceptedAt, waiting: [] };
      const of = { id, connection: consumer.id, workspace, createdAt: at };
      replays.set(id, { ...of, ...range, ...progress, status: 'finished' });
      await ports.queues.send(consumer.queue ?? '', entry, id);
      const done = { kind: 'replayed', connection: consumer.id, workspace, replay: id } as const;
      await ports.recorder.record({ ...done, at, messages: [entry] });
    },
    /** Records that a consumer received a message now, and may at once receive it again. */
    recordReceive(
      connection: string,
      { messageId, acceptedAt, pull }: Pick<Receive, 'messageId' | 'acceptedAt' | 'pull'>,
    ): Promise<void> {
      const receive = {
        messageId,
        messageType: 'link.committed',
        correlationId: correlation(1),
        acceptedAt,
        pull,
        takenAt: acceptedAt,
        visibleAt: acceptedAt,
        receiveCount: 1,
      };
      const at = clock.now();
      return ports.recorder.record({
        kind: 'received',
        connection,
        workspace,
        at,
        receives: [receive],
      });
    },
    /** Publishes a message as it is. */
    async publishBody(message: object): Promise<void> {
      const body = Buffer.from(JSON.stringify(message));
      const verdict = await publish(ports)(body, producer, {
        audienceOf: audienceFor(ports, producer),
      });
      if (verdict.kind !== 'accepted') throw new Error(`The message was ${verdict.kind}.`);
    },
    /** Publishes a new message of a correlation, and returns its id. */
    async publish(correlationId: string): Promise<string> {
      const message_id = randomUUID();
      const body = Buffer.from(
        JSON.stringify(linkCommitted({ message_id, correlation_id: correlationId })),
      );
      // What only looks like a run's is refused at the edge; here it gets in.
      const audience =
        runOfCorrelation(correlationId) === run ? audienceFor(ports, producer) : undefined;
      const verdict = await publish(ports)(
        body,
        producer,
        audience ? { audienceOf: audience } : {},
      );
      if (verdict.kind !== 'accepted') throw new Error(`The message was ${verdict.kind}.`);
      return message_id;
    },
    pull: pull(ports),
    acknowledge: acknowledge(ports),
    release: release(ports),
    life: (messageId: string) => lifeOf(ports)(workspace, messageId),
    backlog: (consumer: Connection) => backlogOf(ports, consumer),
    async close() {
      client.destroy();
      await aws.close();
    },
  };
};

/** What recording something costs: the units of each write, as the engine counts them. */
export const countingUnits = async <T>(
  { activityTable, ports }: Bus,
  act: (recorder: Recorder) => Promise<T>,
): Promise<{ readonly result: T; readonly writeUnits: number }> => {
  let writeUnits = 0;
  const client = new Proxy(activityTable.client, {
    get: (target, name) =>
      name === 'send'
        ? async (command: { readonly input: object }) => {
            Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' });
            const response = await target.send(command as never);
            const { ConsumedCapacity: units = [] } = response as { ConsumedCapacity?: never };
            for (const { CapacityUnits } of [units].flat() as { CapacityUnits: number }[])
              writeUnits += CapacityUnits;
            return response;
          }
        : Reflect.get(target, name),
  });
  const recorder = awsRecorder(
    { ...activityTable, client },
    { ids: ports.ids, archiveDays: 30, lost: (_kind, error) => void Promise.reject(error) },
  );
  return { result: await act(recorder), writeUnits };
};

export type Bus = Awaited<ReturnType<typeof startBus>>;
