import { traceLines } from '../../../lib/cli/developer/messages.ts';

const at = (second: number): string => `2026-05-04T10:00:${String(second).padStart(2, '0')}.000Z`;

test('sombus trace tells the events of a message in the order of their times, then where it is now', () => {
  const life = {
    accepted_at: at(1),
    producer_id: 'p1',
    system_id: 'planning',
    refusals: [
      {
        refused_at: at(0),
        violations: [
          {
            rule: 'story-context.required',
            path: '/payload',
            message: 'The member "headline" is missing.',
          },
          { rule: 'sequence.stale', path: '', message: 'An older snapshot.' },
        ],
      },
    ],
    repeated_at: [at(2)],
    consumers: [
      {
        connection_id: 'c1',
        state: 'acknowledged',
        received: [
          { received_at: at(3), receive_count: 1, released_at: at(4), visible_at: at(9) },
          { received_at: at(9), receive_count: 2, acknowledged_at: at(10) },
          { received_at: at(13), receive_count: 1, replay_id: 'r1' },
        ],
        replayed: [{ sent_at: at(12), replay_id: 'r1' }],
      },
      { connection_id: 'c2', state: 'queued', waits_for: 'm0', received: [], replayed: [] },
    ],
  };
  expect(traceLines(life)).toEqual([
    `${at(0)}  refused: story-context.required at /payload: The member "headline" is missing.`,
    `${at(0)}  refused: sequence.stale at the top level: An older snapshot.`,
    `${at(1)}  accepted from p1 (planning)`,
    `${at(2)}  published again with the same content`,
    `${at(3)}  received by c1 (receive 1)`,
    `${at(4)}  returned by c1; visible ${at(9)}`,
    `${at(9)}  received by c1 (receive 2)`,
    `${at(10)}  acknowledged by c1`,
    `${at(12)}  sent to c1 again by replay r1`,
    `${at(13)}  received by c1 (copy of replay r1) (receive 1)`,
    'now  c1: acknowledged',
    'now  c2: queued, after m0',
  ]);
});
