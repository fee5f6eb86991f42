import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  type BatchGetItemCommandOutput,
  type BatchWriteItemCommandInput,
  type BatchWriteItemCommandOutput,
  DynamoDBClient,
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../../lib/aws/clients.ts';
import type { Table } from '../../lib/aws/table.ts';
import { awsLedger } from '../../lib/delivery/ledger.dynamodb.ts';
import { awsLog } from '../../lib/delivery/log.dynamodb.ts';
import { emptyHead, type Lease, type Ledger, type Log } from '../../lib/delivery/log.ts';
import { startDynoxide } from '../../lib/local/database.ts';
import { createTables } from '../../lib/local/engines.ts';
import { localEnv, localTables } from '../../lib/local/env.ts';
import { publish } from '../../lib/publishing/publish.ts';
import type { Connections } from '../../lib/registry/connection.ts';
import { awsConnections } from '../../lib/registry/connections.dynamodb.ts';
import { commitOf, entry, story, time, upTo, workspace } from '../support/entries.ts';
import { linkCommitted } from '../support/messages.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { connection } from '../tokens/tokens.ts';

type Call = (args: never) => Promise<{ output: object }>;

/** What happens instead of a call; it may go on to the service by `next`. */
type Fault = (
  next: () => Promise<{ output: object }>,
  args: { input: unknown },
) => Promise<{ output: object }>;

const clock = { now: () => time, sleep: async () => undefined };
const folder = temporaryFolder();
/** The faults to come, by the command that they befall. */
const faults = new Map<string, Fault[]>();
let stop: () => Promise<void>;
let table: Table;
let ledger: Ledger;
let log: Log;
let connections: Connections;

/** Lets the next calls of a command go wrong, the last of which is as good as all after it. */
const befall = (command: string, ...all: Fault[]) => faults.set(command, all);

/** Where the SDK's own retries begin: what happens here they see as an answer of DynamoDB. */
const injecting =
  (next: Call, { commandName = '' }: { commandName?: string }) =>
  (args: { input: unknown }) => {
    const fault = faults.get(commandName)?.shift();
    const go = () => next(args as never);
    return fault ? fault(go, args) : go();
  };

beforeAll(async () => {
  const engine = await startDynoxide(`${folder.path}/dynamodb.sqlite`);
  const env = localEnv('http://127.0.0.1', { dynamodb: engine.endpoint, sqs: '', kms: '' });
  await createTables(env, localTables);
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  client.middlewareStack.add(injecting as never, { step: 'finalizeRequest', priority: 'low' });
  table = { client, name: localTables.ledger };
  ledger = awsLedger(table, { clock, archiveDays: 30 });
  log = awsLog(table);
  connections = awsConnections({ client, name: localTables.registry });
  stop = async () => {
    client.destroy();
    await engine.close();
    folder.remove();
  };
});
afterAll(() => stop());
beforeEach(() => faults.clear());

const metadata = { $metadata: {} };
const conflicting: Fault = () =>
  Promise.reject(
    new TransactionConflictException({ message: 'Transaction is ongoing for the item', ...metadata }),
  );
const throttling: Fault = () =>
  Promise.reject(new ProvisionedThroughputExceededException({ message: 'Slow down', ...metadata }));
const cancelling =
  (...codes: string[]): Fault =>
  () =>
    Promise.reject(
      new TransactionCanceledException({
        message: 'Transaction cancelled',
        CancellationReasons: codes.map(Code => ({ Code })),
        ...metadata,
      }),
    );
const times = (count: number, fault: Fault): Fault[] => Array.from({ length: count }, () => fault);

const committed = async () => {
  const one = entry(randomUUID(), { correlationId: randomUUID() });
  const commit = commitOf(one, emptyHead);
  expect(await ledger.commit(commit)).toBeUndefined();
  return { ...one, lease: commit.lease as Lease };
};

test('a lease is given back although transactions write the head meanwhile', async () => {
  const one = await committed();
  befall('UpdateItemCommand', ...times(5, conflicting));
  expect(await log.release(one, one.lease, upTo(1, time))).toBe(true);
  expect(await log.head(one)).toEqual({ last: 1, published: 1, lastAcceptedAt: time });
});

test('a lease is taken although transactions write the head meanwhile', async () => {
  const one = await committed();
  const lease = { ...one.lease, until: one.lease.until + 1 };
  befall('UpdateItemCommand', ...times(5, conflicting));
  expect(await log.acquire(one, lease, time)).toMatchObject({ last: 1, lease });
});

test('a head that transactions never leave is a fault after ten tries', async () => {
  const one = await committed();
  befall('UpdateItemCommand', ...times(11, conflicting));
  await expect(log.acquire(one, one.lease, time)).rejects.toThrow('ongoing');
  expect(faults.get('UpdateItemCommand')).toHaveLength(1);
});

test.each([
  ['the id', 'id', ['TransactionConflict', 'None', 'None', 'None']],
  ['the head', 'head', ['None', 'TransactionConflict', 'None', 'None']],
  ['the entry', 'head', ['None', 'None', 'TransactionConflict', 'None']],
  ['the story', 'story', ['None', 'None', 'None', 'TransactionConflict']],
])('a commit that meets another transaction at %s is a conflict, not a fault', async (_, part, codes) => {
  befall('TransactWriteItemsCommand', cancelling(...codes));
  const one = entry(randomUUID(), { correlationId: randomUUID() });
  const commit = commitOf(one, emptyHead, { story: { state: story(1), version: 0 } });
  expect(await ledger.commit(commit)).toEqual({ id: false, head: false, story: false, [part]: true });
});

test('a commit that DynamoDB throttles inside of the transaction is a fault: nothing is known of it', async () => {
  befall('TransactWriteItemsCommand', cancelling('None', 'ThrottlingError', 'None'));
  const one = entry(randomUUID(), { correlationId: randomUUID() });
  await expect(ledger.commit(commitOf(one, emptyHead))).rejects.toThrow('Transaction cancelled');
});

test('a commit that is throttled once is tried again', async () => {
  befall('TransactWriteItemsCommand', throttling);
  const one = await committed();
  expect(faults.get('TransactWriteItemsCommand')).toEqual([]);
  expect(await log.head(one)).toMatchObject({ last: 1 });
});

test('a commit whose answer is lost and whose try is repeated holds once', async () => {
  const lost: Fault = async next => {
    await next();
    throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
  };
  befall('TransactWriteItemsCommand', lost);
  const one = entry(randomUUID(), { correlationId: randomUUID() });
  const result = await ledger.commit(commitOf(one, emptyHead));
  expect([undefined, { id: true, head: true, story: false }]).toContainEqual(result);
  expect(await log.head(one)).toMatchObject({ last: 1 });
});

const issuedAt = '2026-05-04T08:00:00.000Z';
const secret = (version: number) => ({ version, current: { hash: `hash-${version}`, issuedAt } });

/** A connection whose credential has version 1. */
const withSecret = async (): Promise<string> => {
  const id = `c${randomUUID()}`;
  const added = await connections.add({ ...connection, id, systemIds: [], credentialVersion: 1 }, secret(1));
  expect(added).toBeUndefined();
  return id;
};

test('a secret is replaced although other writes meet the transaction', async () => {
  const id = await withSecret();
  befall('TransactWriteItemsCommand', ...times(3, cancelling('TransactionConflict', 'None')));
  expect(await connections.replaceCredential(id, secret(2))).toBe(true);
  expect((await connections.find(id))?.credential).toMatchObject({ version: 2 });
});

test('a secret that somebody else replaced meanwhile is not replaced', async () => {
  const id = await withSecret();
  befall('TransactWriteItemsCommand', cancelling('ConditionalCheckFailed', 'TransactionConflict'));
  expect(await connections.replaceCredential(id, secret(2))).toBe(false);
  expect(await connections.replaceCredential(id, secret(3))).toBe(false);
});

test.each(['ThrottlingError', 'ProvisionedThroughputExceeded', 'ValidationError'])(
  'a replacement that is cancelled by %s is a fault: nobody else changed the secret',
  async code => {
    const id = await withSecret();
    befall('TransactWriteItemsCommand', cancelling('None', code));
    await expect(connections.replaceCredential(id, secret(2))).rejects.toThrow('Transaction cancelled');
  },
);

/** A busy table reads all keys but the first. */
const skipping: Fault = async next => {
  const answer = await next();
  const output = answer.output as BatchGetItemCommandOutput;
  const items = output.Responses?.[table.name] ?? [];
  const [skipped, ...rest] = items;
  if (skipped?.['pk'] === undefined || skipped['sk'] === undefined) return answer;
  const Keys = [{ pk: skipped['pk'], sk: skipped['sk'] }];
  return {
    ...answer,
    output: { ...output, Responses: { [table.name]: rest }, UnprocessedKeys: { [table.name]: { Keys } } },
  };
};

test('keys that a busy table leaves unread are asked for again', async () => {
  const one = await committed();
  befall('BatchGetItemCommand', skipping, skipping);
  const state = await ledger.read(one);
  expect(state).toMatchObject({ accepted: { number: 1 }, head: { last: 1 } });
  expect(faults.get('BatchGetItemCommand')).toEqual([]);
});

test('keys that stay unread are a fault, not absent', async () => {
  const one = await committed();
  befall('BatchGetItemCommand', ...times(9, skipping));
  await expect(ledger.read(one)).rejects.toThrow('left reads unprocessed');
});

/** A busy table writes nothing. */
const leaving: Fault = async (_, { input }) => ({
  output: {
    UnprocessedItems: (input as BatchWriteItemCommandInput).RequestItems,
    ...metadata,
  } satisfies BatchWriteItemCommandOutput,
});

test('receipts that a busy table leaves unwritten are written later', async () => {
  const groups = [{ id: 'group00000000000', handles: ['a', 'b'], takenAt: time, until: time + 1_000 }];
  befall('BatchWriteItemCommand', leaving, leaving);
  await receipts.save('c333333333333', groups);
  expect(await receipts.find('c333333333333', ['group00000000000'])).toEqual(groups);
  befall('BatchWriteItemCommand', ...times(9, leaving));
  await expect(receipts.save('c333333333333', groups)).rejects.toThrow('left writes unprocessed');
});

// Time stands still here: a lease that was not given back would be held for ever, and those after it would never be accepted.
test('writers of one story do not wait for the end of leases that transactions kept from being given back', async () => {
  let transactions = 0;
  const writing: Fault = async next => {
    transactions += 1;
    try {
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      return await next();
    } finally {
      transactions -= 1;
    }
  };
  const refusing: Fault = (next, args) => (transactions > 0 ? conflicting(next, args) : next());
  befall('TransactWriteItemsCommand', ...times(1_000, writing));
  befall('UpdateItemCommand', ...times(10_000, refusing));
  const consumer = {
    ...connection,
    id: 'c333333333333',
    kind: 'consumer',
    queue: 'q.fifo',
    receives: ['*'],
    sources: [],
  };
  const accept = publish({
    clock: { now: () => time, sleep: () => setImmediate() },
    ids: { random: randomBytes },
    registry: { consumersOf: async () => [consumer] },
    ledger,
    log,
    queues: { send: () => setImmediate('sent') },
  } as never);
  const correlation_id = randomUUID();
  const producer = { ...connection, workspace, systemIds: ['demo-ncs'] };
  const publishFour = async () => {
    for (let count = 0; count < 4; count += 1) {
      const verdict = await accept(Buffer.from(JSON.stringify(linkCommitted({ correlation_id }))), producer);
      expect(verdict.kind).toBe('accepted');
    }
  };
  await Promise.all(Array.from({ length: 5 }, publishFour));
});
