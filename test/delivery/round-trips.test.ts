import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../../lib/aws/clients.ts';
import { putItem } from '../../lib/aws/table.ts';
import { queueName } from '../../lib/contract/environments.ts';
import { limits } from '../../lib/contract/limits.ts';
import { awsLedger } from '../../lib/delivery/ledger.dynamodb.ts';
import { awsLog } from '../../lib/delivery/log.dynamodb.ts';
import { awsQueues } from '../../lib/delivery/queues.sqs.ts';
import { localEnv, localTables } from '../../lib/local/env.ts';
import { createTables } from '../../lib/local/provision.ts';
import { publish } from '../../lib/publishing/publish.ts';
import type { Connection } from '../../lib/registry/connection.ts';
import { connectionItem } from '../../lib/registry/items.dynamodb.ts';
import { awsQueueAdmin } from '../../lib/registry/queue-access.sqs.ts';
import { awsRegistry } from '../../lib/registry/registry.dynamodb.ts';
import { guardedQueueHome } from '../../lib/wiring/registry.ts';
import { connectionOf } from '../corpus/connections.ts';
import { startLocalAws } from '../support/local-aws.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';

/** A call of an AWS service, and when it began and ended in ticks. */
interface Call {
  readonly name: string;
  readonly began: number;
  ended: number;
}

let tick = 0;
const calls: Call[] = [];

/** Records every command that a client sends. */
const recordCall =
  <Args, Response>(next: (args: Args) => Promise<Response>, context: { commandName?: string }) =>
  async (args: Args): Promise<Response> => {
    tick += 1;
    const call = { name: context.commandName ?? '', began: tick, ended: 0 };
    calls.push(call);
    const response = await next(args);
    tick += 1;
    call.ended = tick;
    return response;
  };

/** The length of the longest chain of calls that each began after the one before had ended. */
const roundTrips = (all: readonly Call[]): number => {
  const depth = (call: Call): number =>
    1 + Math.max(0, ...all.filter(one => one.ended < call.began).map(depth));
  return Math.max(0, ...all.map(depth));
};

const connection = (id: string, kind: Connection['kind']) => connectionOf(id, kind, 'w222222222222');

/** Grows with every publish, past the time for which publishes share a read of the consumers. */
let later = 0;
const clock = { now: () => Date.now() + later, sleep: async () => undefined };
let stop: () => Promise<void>;
let send: (body: object) => Promise<unknown>;

beforeAll(async () => {
  const aws = await startLocalAws();
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  await createTables(env, localTables);
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  const queueClient = new SQSClient(clientConfig(env, 'SQS'));
  const home = { client: queueClient, baseUrl: `${aws.endpoints.sqs}/000000000000/` };
  for (const id of ['c33333333333a', 'c33333333333b', 'c33333333333c']) {
    await awsQueueAdmin({ ...guardedQueueHome(env), ...home }).create(queueName(id));
    const registry = { client, name: localTables.registry };
    await putItem(registry, { Item: connectionItem(connection(id, 'consumer')) });
  }
  client.middlewareStack.add(recordCall, { step: 'initialize' });
  queueClient.middlewareStack.add(recordCall, { step: 'initialize' });
  const table = { client, name: localTables.ledger };
  const service = publish({
    clock,
    ids: { random: bytes => Buffer.alloc(bytes, tick % 256) },
    registry: awsRegistry({ client, name: localTables.registry }, clock),
    ledger: awsLedger(table, { clock, archiveDays: 30 }),
    log: awsLog(table),
    queues: awsQueues(home),
  });
  send = async body => {
    calls.length = 0;
    later += limits.consumersCacheMilliseconds;
    return (await service(Buffer.from(JSON.stringify(body)), connection('c222222222222', 'producer'))).kind;
  };
  stop = async () => {
    client.destroy();
    queueClient.destroy();
    await aws.close();
  };
});

afterAll(() => stop());

const names = () => calls.map(({ name }) => name).sort();

test('a publish to three consumers takes four round trips', async () => {
  const message = linkCommitted();
  expect(await send(message)).toBe('accepted');
  expect(names()).toEqual([
    'BatchGetItemCommand',
    'QueryCommand',
    'SendMessageCommand',
    'SendMessageCommand',
    'SendMessageCommand',
    'TransactWriteItemsCommand',
    'UpdateItemCommand',
  ]);
  expect(roundTrips(calls)).toBe(4);
  expect(await send(message)).toBe('duplicate');
  expect(roundTrips(calls)).toBe(1);
});

test('a snapshot of a story takes no more calls', async () => {
  expect(await send(storyContext())).toBe('accepted');
  expect(calls).toHaveLength(7);
  expect(roundTrips(calls)).toBe(4);
});
