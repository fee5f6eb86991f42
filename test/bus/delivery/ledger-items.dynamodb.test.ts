import { awsReceipts } from '../../../lib/bus/consuming/receipts.dynamodb.ts';
import {
  entryItem,
  idItem,
  readAcceptedId,
  readEntry,
  readFacts,
  readKnownStory,
  storyItem,
} from '../../../lib/bus/delivery/ledger-items.dynamodb.ts';
import { emptyHead } from '../../../lib/bus/delivery/log.ts';
import { environments } from '../../../lib/contract/environments.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { commitOf, correlation, entry, story, time } from '../../support/entries.ts';
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

test('an entry of a test run is listed as one, and others are not', () => {
  const facts = {
    correlationId: correlation(1),
    number: 12,
    messageId: 'm1',
    messageType: 'link.committed',
    producer: 'c222222222222',
    acceptedAt: time,
  };
  const one = entry('m1', { number: 12 });
  expect(readFacts(entryItem(one, 30))).toEqual(facts);
  expect(entryItem(one, 30)['archive_position']).toBe(
    '2026-05-04T23:59:59.000Z#00000000-0000-4000-8000-000000000001#0000000000000012#m1#' +
      'c222222222222##link.committed',
  );
  const ofRun = entryItem({ ...one, isOfRun: true }, 30);
  expect(readFacts(ofRun)).toEqual({ ...facts, isOfRun: true });
});

test('an id is taken for seven days and an hour, and free from that second on', () => {
  const item = idItem(commitOf(entry('m1'), emptyHead), 30);
  const takenMilliseconds = (7 * 24 + 1) * 3_600_000;
  const accepted = {
    messageId: 'm1',
    bodyHash: 'hash of m1',
    attempt: 'attempt of m1',
    correlationId: correlation(1),
    number: 1,
  };
  expect(readAcceptedId('m1', item, time + takenMilliseconds - 1)).toEqual(accepted);
  expect(readAcceptedId('m1', item, time + takenMilliseconds)).toBeUndefined();
  expect(readAcceptedId('m1', undefined, time)).toBeUndefined();
});

describe('an item that is damaged is refused, and named:', () => {
  const damaged = (item: object, name: string) =>
    Object.fromEntries(Object.entries(item).filter(([one]) => one !== name));
  const state = { ...story(1), storyId: 'harbour-fire' };
  const stored = storyItem(entry('m1'), { state, version: 3 });

  test('an entry without targets, which would count as sent', () => {
    expect(() => readEntry(damaged(entryItem(entry('m1'), 30), 'targets'))).toThrow(
      'The stored entry LOG#w222222222222#00000000-0000-4000-8000-000000000001 has no targets.',
    );
  });

  test('a story without its state, which would count as new', () => {
    expect(() => readKnownStory(damaged(stored, 'state'))).toThrow(/state/);
  });

  test('a story whose state cannot be read', () => {
    const { body } = entryItem(entry('m1', { body: Buffer.from('{}') }), 30);
    expect(() => readKnownStory({ ...stored, state: body })).toThrow(
      new Error(`The stored story ${stored['pk']} has no readable state.`),
    );
  });

  test('a content in an unknown coding', () => {
    expect(() => readKnownStory({ ...stored, state_coding: 'zstd' })).toThrow(
      new Error(`The state of the stored item ${stored['pk']} has an unknown coding.`),
    );
  });
});

test('a story that was started over has no state until its next snapshot', () => {
  const state = story(9);
  const again = storyItem(entry('m1'), { state, version: 5, startedOverAt: time });
  expect(readKnownStory(again)).toEqual({ state, version: 5, startedOverAt: time });
  const { state: _bytes, ...forgotten } = again;
  expect(readKnownStory(forgotten)).toEqual({ version: 5, startedOverAt: time });
});
