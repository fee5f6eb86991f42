import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../lib/engines/machine.ts';
import type { JsonObject } from '../../lib/json/value.ts';
import { type EngineRoom, openEngineRoom, type RoomOptions } from '../../lib/local/engine-room.ts';
import { startEngineThread } from '../../lib/local/engine-thread.ts';
import type { Endpoints } from '../../lib/local/env.ts';
import { StartRefusal } from '../../lib/local/start-refusal.ts';
import { program, temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
afterAll(folder.remove);
const builtProgram = join(program, '../engines.js');
let made = 0;

const newOptions = (): RoomOptions => {
  made += 1;
  return {
    folder: folder.path,
    database: join(folder.path, `${made}.sqlite`),
    operator: { accessKeyId: 'AKIA', secretAccessKey: 'secret' },
    openEngines: false,
    hosts: [],
    before: {},
    portal: 'http://127.0.0.1:1',
  };
};

const ignored = () => undefined;
const nextTurn = () => new Promise(resolve => setImmediate(resolve));
const opened: EngineRoom[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(room => room.close().catch(ignored)));
});

const kept = async (opening: Promise<EngineRoom>): Promise<EngineRoom> => {
  const room = await opening;
  opened.push(room);
  return room;
};

const rooms = {
  'this thread': (options: RoomOptions) => kept(openEngineRoom(options, ignored)),
  'a thread of its own': (options: RoomOptions) => kept(startEngineThread(builtProgram, options, ignored)),
} as const;

const ask = async (
  room: EngineRoom,
  service: keyof Endpoints,
  name: string,
  input: JsonObject,
  gone = new AbortController().signal,
): Promise<JsonObject> => {
  const operation = room.operations[service]?.get(name);
  if (operation === undefined) throw new Error(`There is no ${name}.`);
  return operation(input, { endpoint: room.endpoints[service], gone });
};

const table: JsonObject = {
  TableName: 'things',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
};
const key = { pk: { S: 'a' } };
const item = { ...key, bytes: { B: Uint8Array.of(0, 255, 7) } };
const createTable = (room: EngineRoom) => ask(room, 'dynamodb', 'CreateTable', table);
const put = { TableName: 'things', Item: item };
const putOnce = { ...put, ConditionExpression: 'attribute_not_exists(pk)' };

const newQueue = async (room: EngineRoom): Promise<string> => {
  const Attributes = { FifoQueue: 'true' };
  const { QueueUrl } = await ask(room, 'sqs', 'CreateQueue', { QueueName: 'q.fifo', Attributes });
  return String(QueueUrl);
};

describe.each(Object.entries(rooms))('an engine room in %s', (_, openRoom) => {
  let room: EngineRoom;
  let options: RoomOptions;
  beforeEach(async () => {
    options = newOptions();
    room = await openRoom(options);
  });

  test('answers with values, and with bytes as bytes', async () => {
    await createTable(room);
    await ask(room, 'dynamodb', 'PutItem', put);
    const answer = await ask(room, 'dynamodb', 'GetItem', { TableName: 'things', Key: key });
    expect(answer).toEqual({ Item: item });
  });

  test('refuses as AWS does, with what belongs to the refusal', async () => {
    await createTable(room);
    await ask(room, 'dynamodb', 'PutItem', put);
    const returning = { ...putOnce, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
    await expect(ask(room, 'dynamodb', 'PutItem', returning)).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
      message: 'The conditional request failed',
      shape: { status: 400 },
      members: { Item: item },
    });
    const TransactItems = [{ Put: putOnce }];
    await expect(ask(room, 'dynamodb', 'TransactWriteItems', { TransactItems })).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      members: { CancellationReasons: [{ Code: 'ConditionalCheckFailed' }] },
    });
  });

  test('keeps what it saved, and notes, until the next time', async () => {
    await createTable(room);
    await ask(room, 'dynamodb', 'PutItem', put);
    room.notes.write('usage', { some: 3 });
    await room.saved();
    await room.close();
    room = await openRoom(options);
    expect(room.notes.read('usage')).toEqual({ some: 3 });
    const { Item } = await ask(room, 'dynamodb', 'GetItem', { TableName: 'things', Key: key });
    expect(Item).toEqual(item);
  });

  test('ends a poll when nobody waits for it any more, and all when it is told to', async () => {
    const QueueUrl = await newQueue(room);
    const caller = new AbortController();
    const abandoned = ask(room, 'sqs', 'ReceiveMessage', { QueueUrl, WaitTimeSeconds: 20 }, caller.signal);
    const others = [1, 2].map(() => ask(room, 'sqs', 'ReceiveMessage', { QueueUrl, WaitTimeSeconds: 20 }));
    caller.abort();
    expect(await abandoned).toEqual({});
    room.endPolls();
    expect(await Promise.all(others)).toEqual([{}, {}]);
  });

  test('lets messages of a caller who left before reading the answer be received at once', async () => {
    const QueueUrl = await newQueue(room);
    const sent = { QueueUrl, MessageBody: 'a', MessageGroupId: 'g', MessageDeduplicationId: 'd' };
    await ask(room, 'sqs', 'SendMessage', sent);
    const receive = { QueueUrl, VisibilityTimeout: 600, WaitTimeSeconds: 20 };
    const caller = new AbortController();
    expect(await ask(room, 'sqs', 'ReceiveMessage', receive, caller.signal)).toHaveProperty('Messages');
    const next = ask(room, 'sqs', 'ReceiveMessage', receive);
    caller.abort();
    expect(await next).toMatchObject({ Messages: [{ Body: 'a' }] });
  });

  test('can be closed twice, and has not failed then', async () => {
    await Promise.all([room.close(), room.close()]);
    const later = new Promise(resolve => setImmediate(() => resolve('not failed')));
    expect(await Promise.race([room.failed, later])).toBe('not failed');
  });

  test('serves its engines and the sign-in on loopback', async () => {
    const { sqs, kms, dynamodb } = room.endpoints;
    for (const endpoint of [sqs, kms, dynamodb, room.signIn['SOMBUS_OIDC_ISSUER']])
      expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${room.signIn['SOMBUS_OIDC_ISSUER']}/.well-known/jwks.json`)).status).toBe(200);
    const headers = { 'x-amz-target': 'AmazonSQS.ListQueues' };
    const unsigned = await fetch(sqs, { method: 'POST', headers, body: '{}' });
    expect([unsigned.status, await unsigned.text()]).toEqual([403, expect.stringContaining('sign')]);
  });

  test('refuses a damaged database in one sentence', async () => {
    await room.close();
    writeFileSync(options.database, 'x', { flag: 'r+' });
    await expect(openRoom(options)).rejects.toThrow(StartRefusal);
    await expect(openRoom(options)).rejects.toThrow(/^The file .*sqlite is damaged, or is an older copy/);
  });
});

test('every caller of a thread that closes in the middle of its work is told how it went', async () => {
  const room = await rooms['a thread of its own'](newOptions());
  await createTable(room);
  const outcomes: Promise<string>[] = [];
  const read = () => {
    const scanned = ask(room, 'dynamodb', 'Scan', { TableName: 'things' });
    outcomes.push(scanned.then(() => 'answered', errorMessage));
  };
  let isClosing = true;
  const closed = room.close().finally(() => {
    isClosing = false;
  });
  while (isClosing) {
    for (let index = 0; index < 10; index += 1) read();
    await nextTurn();
  }
  await closed;
  read();
  const told = new Set(await Promise.all(outcomes));
  for (const known of ['answered', 'The database is closed.']) told.delete(known);
  expect([...told]).toEqual(['the engines have ended: their thread stopped with code 0']);
});

test('a start that fails after a kill leaves the folder as it was', async () => {
  const options = newOptions();
  const room = await rooms['a thread of its own'](options);
  await createTable(room);
  await room.saved();
  const killed = newOptions();
  const files = ['', '-wal', '-sums', '-mark'];
  for (const part of files) copyFileSync(options.database + part, killed.database + part);
  const bytes = () => files.map(part => readFileSync(killed.database + part, 'base64'));
  const before = bytes();
  mkdirSync(`${killed.database}-stamp`);
  await expect(rooms['a thread of its own'](killed)).rejects.toThrow(/directory/);
  expect(bytes()).toEqual(before);
});

test('a request that cannot be copied fails alone', async () => {
  const room = await rooms['a thread of its own'](newOptions());
  const uncopied = ask(room, 'dynamodb', 'ListTables', { Limit: () => 1 });
  const other = ask(room, 'dynamodb', 'ListTables', {});
  await expect(uncopied).rejects.toThrow(/could not be cloned/);
  expect(await other).toEqual({ TableNames: [] });
  await room.close();
});

describe('a thread that ends', () => {
  const withProgram = (text: string) => {
    const path = join(folder.path, `program-${made}.js`);
    writeFileSync(path, text);
    return startEngineThread(path, newOptions(), ignored);
  };

  test('by itself before it is open is a refusal to start', async () => {
    await expect(withProgram('throw new Error("no room")')).rejects.toThrow(
      /^The engines cannot start: .*no room\.$/,
    );
    await expect(withProgram('')).rejects.toThrow(
      new StartRefusal('The engines cannot start: their thread stopped with code 0.'),
    );
  });

  test('because it was told to is awaited', async () => {
    const note = join(folder.path, 'ended');
    const room = await withProgram(`
      const { parentPort } = require('node:worker_threads');
      parentPort.postMessage([{ endpoints: {}, signIn: {}, notes: {}, operations: [] }]);
      parentPort.on('message', messages => {
        for (const message of messages)
          if ('id' in message) parentPort.postMessage([{ id: message.id }]);
          else setImmediate(() => {
            require('node:fs').writeFileSync(${JSON.stringify(note)}, '');
            process.exit();
          });
      });`);
    await room.close();
    expect(existsSync(note)).toBe(true);
  });

  test('by itself later fails every call, and the service', async () => {
    const room = await withProgram(`
      const { parentPort } = require('node:worker_threads');
      parentPort.postMessage([{ endpoints: {}, signIn: {}, notes: {}, operations: [['sqs', ['ListQueues']]] }]);
      parentPort.once('message', () => process.exit(3));`);
    await expect(ask(room, 'sqs', 'ListQueues', {})).rejects.toThrow(
      'the engines have ended: their thread stopped with code 3',
    );
    await expect(ask(room, 'sqs', 'ListQueues', {})).rejects.toThrow(
      'the engines have ended: their thread stopped with code 3',
    );
    await expect(room.saved()).rejects.toThrow('code 3');
    expect(await room.failed).toEqual(
      new StartRefusal('The engines ended: their thread stopped with code 3. No accepted message is lost.'),
    );
  });
});
