import { getItem } from '../../lib/aws/table.ts';
import { awsLedger } from '../../lib/delivery/ledger.dynamodb.ts';
import { headKey } from '../../lib/delivery/ledger-items.dynamodb.ts';
import { awsLog } from '../../lib/delivery/log.dynamodb.ts';
import { emptyHead } from '../../lib/delivery/log.ts';
import { commitOf, entry } from '../support/entries.ts';
import { frozenClock } from '../support/identity-fakes.ts';
import { tablesHere } from '../support/local-aws.ts';

const tables = tablesHere();

test('a head names the entries that expired unsent, and a log that does not exist gets no head', async () => {
  const table = tables.table('ledger');
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
