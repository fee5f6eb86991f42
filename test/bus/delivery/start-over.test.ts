import { lastSnapshotOf, startStoryOver } from '../../../lib/bus/delivery/start-over.ts';
import { correlation, story, time, workspace } from '../../support/entries.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

const storyId = 'harbour-fire';

/** A story that the bus knows at this version, after that many snapshots or without one. */
const known = (version: number, sequenceNumber?: number) => ({
  version,
  correlationId: correlation(1),
  ...(sequenceNumber !== undefined && { state: story(sequenceNumber) }),
});

const startOver = async (isAsSeen: boolean, now: ReturnType<typeof known> | undefined) => {
  const asked: unknown[] = [];
  const result = await startStoryOver(
    {
      clock: frozenClock(time),
      stories: {
        startOver: async (...of) => {
          asked.push(['startOver', ...of]);
          return isAsSeen;
        },
      },
      acceptances: {
        storyOf: async (...of) => {
          asked.push(['storyOf', ...of]);
          return now;
        },
      },
    },
    { workspace, storyId, version: 3 },
  );
  return { result, asked };
};

const forgets = ['startOver', workspace, storyId, { version: 3, now: time }];
const looksAgain = ['storyOf', workspace, storyId];

test('a story is started over if its last snapshot is still the one that was seen', async () => {
  expect(await startOver(true, undefined)).toEqual({ result: time, asked: [forgets] });
});

test('nothing is forgotten if another snapshot has come, and that one is named', async () => {
  const { result, asked } = await startOver(false, known(4, 12));
  expect(result).toEqual({
    kind: 'declined',
    isChanged: true,
    reason:
      'Nothing was forgotten: the last snapshot of the story "harbour-fire" is another one now, ' +
      'with the sequence_number 12.',
  });
  expect(asked).toEqual([forgets, looksAgain]);
});

test.each([
  ['was never published', undefined],
  ['was started over before', known(4)],
])('nothing is forgotten of a story that %s', async (_, now) => {
  const { result } = await startOver(false, now);
  expect(result).toEqual({
    kind: 'declined',
    reason:
      'The bus remembers no snapshot of the story "harbour-fire" in this workspace: the next one ' +
      'is its first already.',
  });
});

test('the last snapshot is told with its numbers as they were written, cut if they are long', () => {
  const state = {
    ...story(1),
    sequenceNumber: 10n ** 400n,
    updatedAt: '2026-05-04T09:00:00Z',
  };
  const last = lastSnapshotOf({ version: 7, state });
  expect(last).toMatchObject({ version: 7, updatedAt: '2026-05-04T09:00:00Z' });
  expect(last?.sequenceNumber).toMatch(/^10+…/);
  expect(last?.sequenceNumber.length).toBeLessThan(401);
  expect(lastSnapshotOf({ version: 7 })).toBeUndefined();
});
