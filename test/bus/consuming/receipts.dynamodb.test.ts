import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { awsReceipts } from '../../../lib/bus/consuming/receipts.dynamodb.ts';
import { awsWaitingPolls } from '../../../lib/bus/consuming/waiting-polls.dynamodb.ts';
import { getItem } from '../../../lib/platform/aws/table.ts';
import { time } from '../../support/entries.ts';
import { tableInTurn } from '../../support/fakes/aws-clients.ts';
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

describe('the receipts of a table', () => {
  const receive = {
    messageId: 'm1',
    messageType: 'story.context',
    correlationId: 'k1',
    pull: 'p1',
    receiveCount: 2,
    acceptedAt: time - 9,
    takenAt: time + 1,
    visibleAt: time + 60_001,
  };
  const group = {
    id: 'abcdefghijklmnop',
    handles: ['h0', 'h1', 'h2'],
    receives: [receive, null, { ...receive, messageId: 'm3', replay: 'y1' }],
    takenAt: time,
    until: time + 60_000,
  };
  const unused = { acknowledged: [], returned: [] };
  const receiptsOf = () => awsReceipts(tables.table('ledger'), clock);

  test('are found as they were saved, and those of whom nothing is known are not', async () => {
    const receipts = receiptsOf();
    const { receives: _none, ...old } = { ...group, id: 'old', blockedFrom: 1, returned: [1, 2] };
    const fresh = { ...group, id: 'fresh', returned: [] };
    await receipts.save('c2', [group, old, fresh]);
    const ids = [group.id, 'old', 'fresh', 'unknown'];
    const found = await receipts.find('c2', ids);
    expect([...found].sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))).toEqual([
      { ...group, ...unused },
      { ...old, ...unused, returned: [1, 2] },
      { ...fresh, ...unused },
    ]);
  });

  test('are claimed by one of an ack and a nack, and only at their connection', async () => {
    const receipts = receiptsOf();
    const found = () => receipts.find('c3', [group.id]);
    await receipts.save('c3', [group]);
    expect(await receipts.acknowledge('c3', group.id, [0])).toBe(true);
    expect(await receipts.block('c3', group.id, [1, 0])).toBe(false);
    expect(await found()).toEqual([{ ...group, ...unused, acknowledged: [0] }]);
    expect(await receipts.block('c3', group.id, [2, 1])).toBe(true);
    expect(await receipts.acknowledge('c3', group.id, [1])).toBe(false);
    expect(await receipts.acknowledge('c4', group.id, [1])).toBe(false);
    await receipts.markReturned('c3', group.id, [2]);
    expect(await found()).toEqual([{ ...group, acknowledged: [0], blockedFrom: 1, returned: [2] }]);
  });

  test('of no group are found without a read', async () => {
    const { table, asked } = tableInTurn();
    expect(await awsReceipts(table, clock).find('c1', [])).toEqual([]);
    expect(asked).toEqual([]);
  });
});

/** What DynamoDB says to a write whose condition did not hold: the item as it is. */
const taken = (slots: Readonly<Record<string, number>>) =>
  new ConditionalCheckFailedException({
    $metadata: {},
    message: 'The conditional request failed',
    Item: marshall({ pk: 'POLLS#c1', sk: 'POLLS', ...slots }),
  });

describe('a poll that others are faster than', () => {
  const until = time + 5_000;

  test('takes the next slot that is free, and be it for no longer than this moment', async () => {
    const { table, asked } = tableInTurn(taken({ slot_1: time + 1, slot_2: time }));
    const poll = await awsWaitingPolls(table, clock).begin('c1', until);
    expect(poll).toEqual({ connection: 'c1', slot: 2, until });
    expect(asked).toHaveLength(2);
  });

  test('may not wait once all slots are taken', async () => {
    const { table, asked } = tableInTurn(
      taken({ slot_1: time + 1, slot_2: time + 1, slot_3: time + 1 }),
    );
    expect(await awsWaitingPolls(table, clock).begin('c1', until)).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  test('gives up after seven attempts', async () => {
    const { table, asked } = tableInTurn(...Array.from({ length: 7 }, () => taken({})));
    expect(await awsWaitingPolls(table, clock).begin('c1', until)).toBeUndefined();
    expect(asked).toHaveLength(7);
  });
});

test('the slots of waiting polls are deleted when even the longest poll has ended', async () => {
  const polls = awsWaitingPolls(tables.table('ledger'), clock);
  await polls.begin('c1', time + 5_000);
  expect(await leftOf('POLLS#c1', 'POLLS')).toBe(5 + 20);
  await polls.begin('c1', time + 7_001);
  expect(await leftOf('POLLS#c1', 'POLLS')).toBe(8 + 20);
});
