import { replayRecord } from '../../lib/replay/replay.ts';

const replay = {
  id: 'yaaaaaaaaaaaa',
  connection: 'caaaaaaaaaaaa',
  workspace: 'waaaaaaaaaaaa',
  from: Date.parse('2026-05-04T06:00:00Z'),
  to: Date.parse('2026-05-04T08:00:00Z'),
  status: 'running',
  createdAt: Date.parse('2026-05-04T09:00:00Z'),
  reached: Date.parse('2026-05-04T07:00:00Z'),
  sent: 3,
  next: 1,
  waiting: [],
} as const;

test('what a replay is limited to, waits for and suffers from is shown', () => {
  const waiting = [{ correlationId: 'k', next: 2, last: 7 }];
  const limits = { type: 'link.*', correlationId: 'k', waiting };
  const more = { problem: 'its queue is gone', reason: 'cancelled' };
  expect(replayRecord({ ...replay, ...limits, ...more })).toMatchObject({
    ...more,
    type: 'link.*',
    correlation_id: 'k',
    waiting_for: ['k'],
    percent: 50,
    reached: '2026-05-04T07:00:00.000Z',
  });
});
