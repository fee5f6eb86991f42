import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DeleteTableCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { localTables } from '../../../lib/local/env.ts';
import { FaultInjector } from '../../../lib/local/faults.ts';
import { TurnableClock } from '../../../lib/local/testing/clock.ts';
import { startTestService } from '../../../lib/local/testing/test-service.ts';
import { clientConfig, clientOf } from '../../../lib/platform/aws/clients.ts';
import { scratchFolder } from '../engines/support/scratch-folder.ts';

const folder = scratchFolder();

const start = async (place: { folder?: string } = {}) => {
  const clock = new TurnableClock();
  const faults = new FaultInjector(clock);
  const service = await startTestService({
    ...place,
    ...{ limits: false, clock, faults, print: () => undefined },
  });
  const { env } = service;
  const dynamoDb = clientOf(env, 'DYNAMODB', new DynamoDBClient(clientConfig(env, 'DYNAMODB')));
  const sqs = clientOf(env, 'SQS', new SQSClient(clientConfig(env, 'SQS')));
  return { service, clock, dynamoDb, sqs };
};

type Started = Awaited<ReturnType<typeof start>>;

const put = async ({ dynamoDb }: Started, TableName: string, expires_at = 4_000_000_000) => {
  const Item = { pk: { S: 'p' }, sk: { S: 's' }, expires_at: { N: String(expires_at) } };
  await dynamoDb.send(new PutItemCommand({ TableName, Item }));
};

/** The tables that have something in them. */
const filled = async ({ dynamoDb }: Started): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const [name, TableName] of Object.entries(localTables)) {
    const { Items = [] } = await dynamoDb.send(new ScanCommand({ TableName }));
    if (Items.length > 0) found.push(name);
  }
  return found;
};

test('in a folder, which is made, what an earlier bus left is removed', async () => {
  const place = join(folder, 'of', 'a bus');
  const first = await start({ folder: place });
  expect(readdirSync(place)).toContain('bus.sqlite');
  await put(first, localTables.sessions);
  await first.service.close();
  const files = ['bus.sqlite', 'bus.sqlite-wal', 'bus.sqlite-shm'];
  expect(files.map(name => existsSync(join(place, name)))).toEqual([true, false, false]);
  const second = await start({ folder: place });
  expect(await filled(second)).toEqual([]);
  await second.service.close();
  for (const name of files) writeFileSync(join(place, name), 'no database'.repeat(100));
  const third = await start({ folder: place });
  expect(await filled(third)).toEqual([]);
  await third.service.close();
});

test('a folder that cannot be removed from is an error', async () => {
  const place = join(folder, 'odd');
  mkdirSync(join(place, 'bus.sqlite', 'a folder'), { recursive: true });
  await expect(start({ folder: place })).rejects.toThrow('bus.sqlite');
});

test('empty forgets messages and what happened to them, and keeps who is known', async () => {
  const started = await start();
  for (const name of Object.values(localTables)) await put(started, name);
  const { service, sqs } = started;
  const Attributes = { FifoQueue: 'true' };
  const created = await sqs.send(new CreateQueueCommand({ QueueName: 'q.fifo', Attributes }));
  const QueueUrl = created.QueueUrl ?? '';
  const same = { QueueUrl, MessageGroupId: 'g', MessageDeduplicationId: 'd' };
  const send = (MessageBody: string) => sqs.send(new SendMessageCommand({ ...same, MessageBody }));
  const received = async () => {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    return Messages.map(({ Body }) => Body);
  };
  await send('forgotten');
  await service.empty();
  expect(await filled(started)).toEqual(['registry', 'sessions']);
  expect(await received()).toEqual([]);
  await send('sent again');
  expect(await received()).toEqual(['sent again']);
  await service.close();
});

test('jobs remove everything that has expired, however much it is, and are waited for', async () => {
  const started = await start();
  const { service, dynamoDb, clock } = started;
  const TableName = localTables.sessions;
  const expires_at = { N: String(Math.floor(clock.now() / 1000) - 1) };
  for (let n = 0; n < 150; n += 1) {
    const Item = { pk: { S: String(n) }, sk: { S: 's' }, expires_at };
    await dynamoDb.send(new PutItemCommand({ TableName, Item }));
  }
  await put(started, localTables.activity);
  expect(await filled(started)).toEqual(['activity', 'sessions']);
  await service.runJobs();
  expect(await filled(started)).toEqual(['activity']);
  await dynamoDb.send(new DeleteTableCommand({ TableName: localTables.ledger }));
  await expect(service.runJobs()).rejects.toThrow('resource not found');
  await service.close();
});

test('a closed service does nothing more, and is not reached', async () => {
  const { service, clock } = await start();
  expect((await fetch(service.baseUrl)).status).toBe(404);
  expect((await fetch(service.portalUrl)).status).toBe(200);
  await service.close();
  await expect(fetch(service.baseUrl)).rejects.toThrow('fetch failed');
  await expect(fetch(service.portalUrl)).rejects.toThrow('fetch failed');
  const done: string[] = [];
  clock.after(5, () => done.push('late'));
  clock.turn(10);
  expect(done).toEqual([]);
});
