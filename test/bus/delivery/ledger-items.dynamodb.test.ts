import { awsReceipts } from '../../../lib/bus/consuming/receipts.dynamodb.ts';
import {
  entryItem,
  readEntry,
  readKnownStory,
  storyItem,
} from '../../../lib/bus/delivery/ledger-items.dynamodb.ts';
import { environments } from '../../../lib/contract/environments.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { entry, story, time } from '../../support/entries.ts';
import { tableAnswering } from '../../support/fakes/aws-clients.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

const daySeconds = 86_400;

test.each([
  ['sandbox', 44],
  ['preview', 21],
] as const)(
  'an entry of the %s expires after %i days: the archive, and two weeks to be sent',
  (name, days) => {
    const { expires_at } = entryItem(entry('m1'), environments[name].archiveDays);
    expect(expires_at).toBe(time / 1000 + days * daySeconds);
  },
);

test('receipts of one call are kept for a day after their messages are visible again', async () => {
  const asked: unknown[] = [];
  const table = tableAnswering(({ input }) => {
    asked.push(input);
    return {};
  });
  const receipts = awsReceipts(table, frozenClock(time));
  await receipts.save('c333333333333', [
    { id: 'g', handles: ['a', 'b'], takenAt: time, until: time + 60_500 },
  ]);
  expect(asked).toMatchObject([
    {
      RequestItems: {
        registry: [
          {
            PutRequest: {
              Item: { expires_at: { N: String(time / 1000 + 61 + limits.receiptsKeptSeconds) } },
            },
          },
        ],
      },
    },
  ]);
});

describe.each([
  ['small', 1, undefined],
  ['large', 5_000, 'brotli'],
] as const)('a %s content', (_, times, coding) => {
  const state = {
    ...story(1),
    assets: Array.from({ length: times }, (_, at) => ({ id: `a${at}`, type: 'VIDEO' })),
  };
  const body = Buffer.from('the river rose again; é '.repeat(times * 4));

  test('comes back as it was', () => {
    const items = [
      entryItem(entry('m1', { body }), 30),
      storyItem(entry('m1'), { state, version: 3 }),
    ];
    expect([items[0]?.['body_coding'], items[1]?.['state_coding']]).toEqual([coding, coding]);
    // Jest compares bytes one by one.
    expect(body.equals(readEntry(items[0] ?? {}).body)).toBe(true);
    expect(readKnownStory(items[1] ?? {})).toEqual({ state, version: 3 });
  });

  test('with a coding of a later version is refused', () => {
    const item = { ...entryItem(entry('m1', { body }), 30), body_coding: 'zstd' };
    expect(() => readEntry(item)).toThrow(/body of the stored item .* has an unknown coding/);
  });
});
