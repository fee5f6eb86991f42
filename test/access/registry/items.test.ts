import type { Connection } from '../../../lib/access/registry/connection.ts';
import { connectionItem, readConnection } from '../../../lib/access/registry/items.dynamodb.ts';

const made: Connection = {
  id: 'c222222222222',
  kind: 'consumer',
  status: 'active',
  organisation: 'o222222222222',
  workspace: 'w222222222222',
  app: 'a222222222222',
  credentialVersion: 3,
  tier: 'high',
  quota: { perSecond: 5, burst: 7, perDay: 9 },
  systemIds: ['graphics-1'],
  grants: ['graphics.*'],
  receives: ['story.*'],
  sources: ['ncs-1'],
  guestSince: '2026-05-04T08:00:00.000Z',
  guestTypes: ['story.context'],
  queue: 'sombus-c222222222222.fifo',
  createdAt: '2026-05-04T09:00:00.000Z',
};

test('a connection is read as it was made', () => {
  expect(readConnection(connectionItem(made))).toEqual(made);
});

test('what becomes of it later is read with it', () => {
  const later = {
    ...connectionItem(made),
    status: 'paused',
    paused_by: 'operator',
    under_test: 'r222222222222',
    tested_in: 'r333333333333',
    tested_until: 1_777_885_200_000,
    skips: [
      { message_id: 'mone', skipped_at: '2026-05-04T10:00:00.000Z' },
      { message_id: 'mtwo', replay_id: 'rtwo', skipped_at: '2026-05-04T11:00:00.000Z' },
    ],
    suspended_by: new Set(['o222222222222']),
  };
  expect(readConnection(later)).toEqual({
    ...made,
    status: 'paused',
    pausedBy: 'operator',
    underTest: 'r222222222222',
    testedIn: { run: 'r333333333333', until: 1_777_885_200_000 },
    skips: [
      { messageId: 'mone', at: '2026-05-04T10:00:00.000Z' },
      { messageId: 'mtwo', replay: 'rtwo', at: '2026-05-04T11:00:00.000Z' },
    ],
    isSuspended: true,
  });
});

test('a revoked connection is of its workspace still, and not suspended', () => {
  const item = connectionItem({ ...made, status: 'revoked' });
  const revoked = { ...item, parent: `${made.workspace}#revoked`, suspended_by: new Set(['o2']) };
  const { workspace, isSuspended } = readConnection(revoked);
  expect([workspace, isSuspended]).toEqual(['w222222222222', undefined]);
});
