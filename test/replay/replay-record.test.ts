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

const shown = {
  replay_id: 'yaaaaaaaaaaaa',
  status: 'running',
  connection_id: 'caaaaaaaaaaaa',
  from: '2026-05-04T06:00:00.000Z',
  to: '2026-05-04T08:00:00.000Z',
  sent: 3,
  percent: 50,
  reached: '2026-05-04T07:00:00.000Z',
  created_at: '2026-05-04T09:00:00.000Z',
};

test('a replay of everything, half done', () => {
  expect(replayRecord(replay)).toEqual(shown);
});

test('what a replay is limited to, waits for and suffers from is shown', () => {
  const waiting = [{ correlationId: 'k', next: 2, last: 7 }];
  const more = {
    type: 'link.*',
    correlationId: 'k',
    waiting,
    problem: 'its queue is gone',
    reason: 'cancelled',
  };
  expect(replayRecord({ ...replay, ...more })).toEqual({
    ...shown,
    type: 'link.*',
    correlation_id: 'k',
    waiting_for: ['k'],
    problem: 'its queue is gone',
    reason: 'cancelled',
  });
});
