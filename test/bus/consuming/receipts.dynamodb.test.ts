import { awsReceipts } from '../../../lib/bus/consuming/receipts.dynamodb.ts';
import { awsWaitingPolls } from '../../../lib/bus/consuming/waiting-polls.dynamodb.ts';
import { getItem } from '../../../lib/platform/aws/table.ts';
import { time } from '../../support/entries.ts';
import { tablesHere } from '../../support/local-aws.ts';

const tables = tablesHere();
const clock = { now: () => time, sleep: async () => undefined };

/** When DynamoDB may delete an item: in seconds from the time that the clock shows. */
const leftOf = async (pk: string, sk: string): Promise<number> => {
  const Key = { pk, sk };
  const item = await getItem(tables.table('ledger'), { Key, ConsistentRead: true });
  return Number(item?.['expires_at']) - time / 1000;
};

test('receipts are deleted a day after their messages can be received again', async () => {
  const group = { id: 'g1', handles: ['h1'], takenAt: time, until: time + 60_000 };
  await awsReceipts(tables.table('ledger'), clock).save('c1', [group]);
  expect(await leftOf('RECEIPTS#c1#g1', 'RECEIPTS')).toBe(60 + 86_400);
});

test('the slots of waiting polls are deleted when even the longest poll has ended', async () => {
  const polls = awsWaitingPolls(tables.table('ledger'), clock);
  await polls.begin('c1', time + 5_000);
  expect(await leftOf('POLLS#c1', 'POLLS')).toBe(5 + 20);
  await polls.begin('c1', time + 7_001);
  expect(await leftOf('POLLS#c1', 'POLLS')).toBe(8 + 20);
});
