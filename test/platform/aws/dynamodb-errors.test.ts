import { randomUUID } from 'node:crypto';
import {
  type BatchWriteItemCommandInput,
  type BatchWriteItemCommandOutput,
  DynamoDBClient,
  ProvisionedThroughputExceededException,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import type { Connections } from '../../../lib/access/registry/connection.ts';
import { awsConnections } from '../../../lib/access/registry/connections.dynamodb.ts';
import { awsReceipts } from '../../../lib/bus/consuming/receipts.dynamodb.ts';
import type { Receipts } from '../../../lib/bus/consuming/receipts.ts';
import { awsLedger } from '../../../lib/bus/delivery/ledger.dynamodb.ts';
import { awsLog } from '../../../lib/bus/delivery/log.dynamodb.ts';
import { emptyHead, type Lease, type Ledger, type Log } from '../../../lib/bus/delivery/log.ts';
import { localEnv, localTables } from '../../../lib/local/env.ts';
import { createTables } from '../../../lib/local/provision.ts';
import { clientConfig } from '../../../lib/platform/aws/clients.ts';
import type { Table } from '../../../lib/platform/aws/table.ts';
import { connection } from '../../bus/tokens/tokens.ts';
import { commitOf, entry, story, time, upTo } from '../../support/entries.ts';
import { startLocalAws } from '../../support/local-aws.ts';

/** What the SDK's middleware passes on. */
interface Result {
  readonly response: unknown;
  readonly output: ServiceOutputTypes;
}

/** What happens instead of a call; `next` makes the call. */
type Error = (next: () => Promise<Result>, input: ServiceInputTypes) => Promise<Result>;

const clock = { now: () => time, sleep: async () => undefined };
/** The errors to come, by the name of the command. */
const errors = new Map<string, Error[]>();
let stop: () => Promise<void>;
let table: Table;
let ledger: Ledger;
let log: Log;
let receipts: Receipts;
let connections: Connections;

/** The errors of the next calls of a command; the calls after them work. */
const failNext = (command: string, ...all: Error[]) => errors.set(command, all);

/** Stands behind the SDK's own retries: they take what happens here for a response of DynamoDB. */
const injectErrors = (client: DynamoDBClient): void =>
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      args => {
        const error = errors.get(commandName)?.shift();
        return error ? error(() => next(args), args.input) : next(args);
      },
    { step: 'finalizeRequest', priority: 'low' },
  );

beforeAll(async () => {
  const aws = await startLocalAws();
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  await createTables(env, localTables);
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  injectErrors(client);
  table = { client, name: localTables.ledger };
  ledger = awsLedger(table, { clock, archiveDays: 30 });
  log = awsLog(table);
  receipts = awsReceipts(table, clock);
  connections = awsConnections({ client, name: localTables.registry });
  stop = async () => {
    client.destroy();
    await aws.close();
  };
});
afterAll(() => stop());
beforeEach(() => errors.clear());

const metadata = { $metadata: {} };
const conflicting: Error = () =>
  Promise.reject(
    new TransactionConflictException({
      message: 'Transaction is ongoing for the item',
      ...metadata,
    }),
  );
const throttling: Error = () =>
  Promise.reject(new ProvisionedThroughputExceededException({ message: 'Slow down', ...metadata }));
const cancelling =
  (...codes: string[]): Error =>
  () =>
    Promise.reject(
      new TransactionCanceledException({
        message: 'Transaction cancelled',
        CancellationReasons: codes.map(Code => ({ Code })),
        ...metadata,
      }),
    );
const times = (count: number, error: Error): Error[] => Array.from({ length: count }, () => error);

const committed = async () => {
  const one = entry(randomUUID(), { correlationId: randomUUID() });
  const commit = commitOf(one, emptyHead);
  expect(await ledger.commit(commit)).toBeUndefined();
  return { ...one, lease: commit.lease as Lease };
};

test('a lease is given back even while transactions write the head', async () => {
  const one = await committed();
  failNext('UpdateItemCommand', ...times(5, conflicting));
  expect(await log.release(one, one.lease, upTo(1, time))).toBe(true);
  expect(await log.head(one)).toEqual({ last: 1, published: 1, lastAcceptedAt: time });
});

test('a lease is taken even while transactions write the head, and not after ten tries', async () => {
  const one = await committed();
  const lease = { ...one.lease, until: one.lease.until + 1 };
  failNext('UpdateItemCommand', ...times(5, conflicting));
  expect(await log.acquire(one, lease, time)).toMatchObject({ last: 1, lease });
  failNext('UpdateItemCommand', ...times(11, conflicting));
  await expect(log.acquire(one, lease, time)).rejects.toThrow('ongoing');
  expect(errors.get('UpdateItemCommand')).toHaveLength(1);
});

test.each([
  ['the id', 'id', ['TransactionConflict', 'None', 'None', 'None']],
  ['the head', 'head', ['None', 'TransactionConflict', 'None', 'None']],
  ['the entry', 'head', ['None', 'None', 'TransactionConflict', 'None']],
  ['the story', 'story', ['None', 'None', 'None', 'TransactionConflict']],
])(
  'a commit that meets another transaction at %s is a conflict, not an error',
  async (_, part, codes) => {
    failNext('TransactWriteItemsCommand', cancelling(...codes));
    const one = entry(randomUUID(), { correlationId: randomUUID() });
    const commit = commitOf(one, emptyHead, { story: { state: story(1), version: 0 } });
    expect(await ledger.commit(commit)).toEqual({
      id: false,
      head: false,
      story: false,
      [part]: true,
    });
  },
);

test('a commit that DynamoDB throttles within the transaction is an error: its outcome is not known', async () => {
  failNext('TransactWriteItemsCommand', cancelling('None', 'ThrottlingError', 'None'));
  const one = entry(randomUUID(), { correlationId: randomUUID() });
  await expect(ledger.commit(commitOf(one, emptyHead))).rejects.toThrow('Transaction cancelled');
});

test('a commit that is throttled once is tried again', async () => {
  failNext('TransactWriteItemsCommand', throttling);
  const one = await committed();
  expect(errors.get('TransactWriteItemsCommand')).toEqual([]);
  expect(await log.head(one)).toMatchObject({ last: 1 });
});

test('a commit that is retried after its response was lost is written once', async () => {
  const lost: Error = async next => {
    await next();
    throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
  };
  failNext('TransactWriteItemsCommand', lost);
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
  const added = await connections.add(
    { ...connection, id, systemIds: [], credentialVersion: 1 },
    secret(1),
  );
  expect(added).toBeUndefined();
  return id;
};

test('a secret is replaced even while others write the same items', async () => {
  const id = await withSecret();
  failNext('TransactWriteItemsCommand', ...times(3, cancelling('TransactionConflict', 'None')));
  expect(await connections.replaceCredential(id, secret(2))).toBe(true);
  expect((await connections.find(id))?.credential).toMatchObject({ version: 2 });
});

test('a secret that another caller has just replaced is not replaced', async () => {
  const id = await withSecret();
  failNext(
    'TransactWriteItemsCommand',
    cancelling('ConditionalCheckFailed', 'TransactionConflict'),
  );
  expect(await connections.replaceCredential(id, secret(2))).toBe(false);
  expect(await connections.replaceCredential(id, secret(3))).toBe(false);
});

test.each(['ThrottlingError', 'ProvisionedThroughputExceeded', 'ValidationError'])(
  'a replacement that is cancelled by %s is an error: nobody else changed the secret',
  async code => {
    const id = await withSecret();
    failNext('TransactWriteItemsCommand', cancelling('None', code));
    await expect(connections.replaceCredential(id, secret(2))).rejects.toThrow(
      'Transaction cancelled',
    );
  },
);

/** A busy table writes nothing. */
const leaving: Error = async (_, input) => ({
  response: undefined,
  output: {
    UnprocessedItems: (input as BatchWriteItemCommandInput).RequestItems,
    ...metadata,
  } satisfies BatchWriteItemCommandOutput,
});

test('receipts that a busy table skips are written again', async () => {
  const groups = [
    { id: 'group00000000000', handles: ['a', 'b'], takenAt: time, until: time + 1_000 },
  ];
  failNext('BatchWriteItemCommand', leaving, leaving);
  await receipts.save('c333333333333', groups);
  expect(await receipts.find('c333333333333', ['group00000000000'])).toMatchObject(groups);
  failNext('BatchWriteItemCommand', ...times(9, leaving));
  await expect(receipts.save('c333333333333', groups)).rejects.toThrow('left writes unprocessed');
});
