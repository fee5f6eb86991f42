import type { Entry } from '../../../lib/bus/delivery/log.ts';
import { includes, percentOf, replayRecord } from '../../../lib/bus/replay/replay.ts';
import { correlationOfRun } from '../../../lib/contract/identifiers.ts';
import { entry } from '../../support/entries.ts';
import { consumer, replayOf } from './replay-desk.ts';

const now = Date.parse('2026-05-31T00:00:00Z');

test('progress is a percentage, and 100 only at the end', () => {
  const replay = replayOf({ from: 0, to: 1_000, reached: 505 });
  expect(percentOf(replay)).toBe(50);
  expect(percentOf({ ...replay, reached: 1_000 })).toBe(99);
  expect(percentOf({ ...replay, status: 'finished' })).toBe(100);
});

test('what a replay is limited to, waits for and suffers from is shown', () => {
  const waiting = [{ correlationId: 'k', next: 2, last: 7 }];
  const more = { problem: 'its queue is gone', reason: 'cancelled' };
  const replay = replayOf({ type: 'link.*', correlationId: 'k', waiting, reached: now, ...more });
  expect(replayRecord(replay)).toMatchObject({
    ...more,
    type: 'link.*',
    correlation_id: 'k',
    waiting_for: ['k'],
    percent: 99,
    reached: '2026-05-31T00:00:00.000Z',
  });
});

test('a replay of one message has no other, though it was accepted in the same millisecond', () => {
  const range = { from: now, to: now + 1, correlationId: 'k', messageId: 'm1' };
  const included = ['m1', 'm2'].filter(id =>
    includes(range, consumer, entry(id, { acceptedAt: now, correlationId: 'k' })),
  );
  expect(included).toEqual(['m1']);
});

test('a message of a run is not replayed to others, and only what was stored with it says that it is one', () => {
  const range = { from: 0, to: now };
  const of = (members: Partial<Entry>) =>
    includes(range, consumer, entry('m', { targets: [], ...members }));
  expect(of({})).toBe(true);
  expect(of({ isOfRun: true })).toBe(false);
  expect(of({ correlationId: correlationOfRun('taaaaaaaaaaaa', 1) })).toBe(true);
  const targets = [{ connection: consumer.id, queue: 'q' }];
  expect(of({ isOfRun: true, targets })).toBe(true);
});
