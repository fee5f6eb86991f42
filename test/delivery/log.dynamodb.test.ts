import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../../lib/aws/clients.ts';
import { getItem, type Table } from '../../lib/aws/table.ts';
import { awsLedger } from '../../lib/delivery/ledger.dynamodb.ts';
import { headKey } from '../../lib/delivery/ledger-items.dynamodb.ts';
import { awsLog } from '../../lib/delivery/log.dynamodb.ts';
import { emptyHead } from '../../lib/delivery/log.ts';
import { localEnv, localTables } from '../../lib/local/env.ts';
import { createTables } from '../../lib/local/provision.ts';
import { commitOf, entry } from '../support/entries.ts';
import { frozenClock } from '../support/identity-fakes.ts';
import { startLocalAws } from '../support/local-aws.ts';

let table: Table;
let stop: () => Promise<void>;

beforeAll(async () => {
  const aws = await startLocalAws();
  const env = localEnv('http://127.0.0.1', aws.endpoints);
  await createTables(env, localTables);
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  table = { client, name: localTables.ledger };
  stop = async () => {
    client.destroy();
    await aws.close();
  };
});
afterAll(() => stop());

test('a head names the entries that expired unsent, and a log that does not exist gets no head', async () => {
  const log = awsLog(table);
  const one = entry('m1');
  const ledger = awsLedger(table, { clock: frozenClock(), archiveDays: 30 });
  expect(await ledger.commit(commitOf(one, emptyHead))).toBeUndefined();
  await log.markExpired(one, 1);
  await log.markExpired(one, 2);
  const unknown = { ...one, correlationId: 'unknown' };
  await log.markExpired(unknown, 1);
  const head = await getItem(table, { Key: headKey(one), ConsistentRead: true });
  expect(head?.['expired']).toEqual(new Set([1, 2]));
  expect(await log.head(unknown)).toEqual(emptyHead);
});
