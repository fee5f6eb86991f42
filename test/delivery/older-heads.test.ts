import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../../lib/aws/clients.ts';
import { getItem, putItem, type Table } from '../../lib/aws/table.ts';
import { awsLedger } from '../../lib/delivery/ledger.dynamodb.ts';
import { headKey } from '../../lib/delivery/ledger-items.dynamodb.ts';
import { awsBacklog, awsLog } from '../../lib/delivery/log.dynamodb.ts';
import { emptyHead } from '../../lib/delivery/log.ts';
import { startDynoxide } from '../../lib/local/database.ts';
import { createTables } from '../../lib/local/engines.ts';
import { localEnv, localTables } from '../../lib/local/env.ts';
import { commitOf, entry, time, upTo } from '../support/entries.ts';
import { temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
let table: Table;
let stop: () => Promise<void>;

beforeAll(async () => {
  const engine = await startDynoxide(`${folder.path}/dynamodb.sqlite`);
  const env = localEnv('http://127.0.0.1', { dynamodb: engine.endpoint, sqs: '', kms: '' });
  await createTables(env, localTables);
  const client = new DynamoDBClient(clientConfig(env, 'DYNAMODB'));
  table = { client, name: localTables.ledger };
  stop = async () => {
    client.destroy();
    await engine.close();
    folder.remove();
  };
});
afterAll(() => stop());

test('a head that the version before left pending is listed, aged, extended, finished, and told what it lost', async () => {
  const [log, backlog] = [awsLog(table), awsBacklog(table)];
  const ledger = awsLedger(table, {
    clock: { now: () => time, sleep: async () => undefined },
    archiveDays: 30,
  });
  const one = entry('m2', { number: 2, acceptedAt: time + 5_000 });
  const old = { last: 1, last_at: time, published: 0, pending: 'pending', pending_since: time };
  await putItem(table, { Item: { ...headKey(one), ...old } });
  const { workspace, correlationId } = one;
  expect(await backlog.due(time, 10)).toEqual([{ workspace, correlationId, nextTry: time }]);
  expect(await backlog.unsentSince(10)).toBe(time);
  expect(await ledger.commit(commitOf(one, await log.head(one)))).toBeUndefined();
  expect(await backlog.unsentSince(10)).toBe(time);
  const lease = { owner: 'relay', until: time + 30_000 };
  expect(await log.acquire(one, lease, time + 20_000)).toMatchObject({ last: 2, unsentSince: time });
  expect(await log.release(one, lease, upTo(2, time))).toBe(true);
  expect(await log.head(one)).toEqual({ last: 2, published: 2, lastAcceptedAt: time + 5_000 });
  await log.markExpired(one, 1);
  await log.markExpired(one, 2);
  await log.markExpired({ ...one, correlationId: 'unknown' }, 1);
  expect((await getItem(table, { Key: headKey(one), ConsistentRead: true }))?.['lost']).toEqual(
    new Set([1, 2]),
  );
  expect(await log.head({ ...one, correlationId: 'unknown' })).toEqual(emptyHead);
});
