import { memberReceipt, readReceipt, singleReceipt } from '../../lib/consuming/receipts.ts';
import { namedReceipts, releaseDelay, usable } from '../../lib/consuming/settle.ts';
import { isFree, newLease } from '../../lib/delivery/log.ts';
import type { Message } from '../../lib/messages/read-message.ts';
import { targetsOf } from '../../lib/publishing/commit.ts';
import type { Connection } from '../../lib/registry/connection.ts';
import { percentOf, problemWithRange, problemWithType, type Replay } from '../../lib/replay/replay.ts';

const consumer = (id: string, members: Partial<Connection> = {}): Connection => ({
  id,
  kind: 'consumer',
  status: 'active',
  organisation: 'o1',
  workspace: 'w1',
  app: 'a1',
  credentialVersion: 1,
  tier: 'standard',
  systemIds: [],
  grants: [],
  receives: ['*'],
  sources: [],
  queue: `${id}.fifo`,
  createdAt: '2026-05-04T09:00:00Z',
  ...members,
});

const message: Message = {
  messageId: 'm1',
  messageType: 'telling.started',
  correlationId: 'x',
  systemId: 'ncs-1',
  family: 'telling-event',
  tolerated: [],
  contentHash: 'h',
};

describe('subscriptions', () => {
  test.each([
    ['everything', {}, true],
    ['the exact type', { receives: ['telling.started'] }, true],
    ['its family', { receives: ['link.*', 'telling.*'] }, true],
    ['another family', { receives: ['link.*'] }, false],
    ['a type that only begins alike', { receives: ['telling'] }, false],
    ['its source', { sources: ['ncs-1', 'ncs-2'] }, true],
    ['another source', { sources: ['ncs-2'] }, false],
    ['everything, but paused', { status: 'paused' as const }, false],
    ['everything, but revoked', { status: 'revoked' as const }, false],
  ])('a consumer of %s: %#', (_what, members, gets) => {
    expect(targetsOf([consumer('c1', members)], message)).toEqual(
      gets ? [{ connection: 'c1', queue: 'c1.fifo' }] : [],
    );
  });
});

describe('leases', () => {
  test('a lease lasts five seconds for its holder, and two more for others', () => {
    const lease = newLease('me', 1_000);
    expect(lease).toEqual({ owner: 'me', until: 6_000 });
    expect([isFree(lease, 7_999), isFree(lease, 8_000), isFree(undefined, 0)]).toEqual([false, true, true]);
  });
});

describe('receipts', () => {
  test('are read back as they were made, and nothing else is', () => {
    const taken = { handle: 'AQEB/+=', takenAt: Date.parse('2026-05-04T09:00:00Z') };
    expect(readReceipt(singleReceipt(taken))).toEqual({ kind: 'single', ...taken });
    const member = memberReceipt('abcdefghijklmno-', 9);
    expect(readReceipt(member)).toEqual({ kind: 'member', group: 'abcdefghijklmno-', position: 9 });
    for (const text of ['', 's.', 's.AQEB', 'AQEB', 'g.abc.1', `${member}0`, 'g.abcdefghijklmno#.1']) {
      expect(readReceipt(text)).toBeUndefined();
    }
  });

  test('order.blocked is for those after the released one, receipt.expired for itself and for what is unknown', () => {
    const group = {
      id: 'abcdefghijklmnop',
      handles: ['h0', 'h1', 'h2'],
      takenAt: 0,
      until: 1,
      blockedFrom: 1,
    };
    const receipts = namedReceipts([0, 1, 2, 3].map(position => memberReceipt(group.id, position)));
    const uses = receipts.map(({ receipt }) => usable(receipt, new Map([[group.id, group]])));
    expect(uses).toEqual([
      { handle: 'h0' },
      { rule: 'receipt.expired' },
      { rule: 'order.blocked' },
      { rule: 'receipt.expired' },
    ]);
  });
});

describe('the delay of a release', () => {
  test.each([
    [0, 5_000, 0],
    [60, 5_000, 60],
    [43_200, 0, 43_190],
    [43_200, 60_001, 43_129],
    [43_200, 50_000_000, 0],
    [43_200, -5_000, 43_190],
  ])('of %i s, asked %i ms after the receive, is %i s', (asked, held, allowed) => {
    expect(releaseDelay(asked, held)).toBe(allowed);
  });
});

describe('replays', () => {
  const now = Date.parse('2026-05-31T00:00:00Z');
  const archive = { now, archiveDays: 30 };
  const day = 86_400_000;

  test.each([
    ['an empty range', { from: now - 5, to: now - 5 }, 'The range is empty'],
    [
      'a range that ends later than now',
      { from: now - 5, to: now + 1 },
      'in the future: now is 2026-05-31T00:00:00.000Z',
    ],
    [
      'a range before the archive',
      { from: now - 31 * day, to: now },
      'the earliest time is 2026-05-01T00:00:00.000Z',
    ],
  ])('%s is a problem that names what is possible', (_what, range, words) => {
    expect(problemWithRange(range, archive)).toContain(words);
  });

  test('the whole archive may be asked for', () => {
    expect(problemWithRange({ from: now - 30 * day, to: now }, archive)).toBeUndefined();
  });

  test.each([
    ['story.contxt', ['story.*'], undefined],
    ['story.*', ['story.context'], undefined],
    ['*', ['link.committed'], undefined],
    [undefined, [], undefined],
    ['Story Context', ['*'], '"Story Context" is no message type pattern'],
    ['story', ['*', 'link.*'], undefined],
    [
      'storyy.*',
      ['story.*', 'link.committed'],
      'The connection c1 receives no storyy.*: it receives story.*, link.committed.',
    ],
    ['story.context', [], 'it receives nothing.'],
  ])('of the type %s a consumer of %j may be sent a replay, or is told why not', (type, receives, words) => {
    const problem = problemWithType(type, { id: 'c1', receives });
    if (words === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(words);
  });

  test('progress is told in percent, 100 only at the end', () => {
    const replay: Replay = {
      id: 'y1',
      connection: 'c1',
      workspace: 'w1',
      from: 0,
      to: 1_000,
      status: 'running',
      createdAt: 0,
      reached: 505,
      sent: 1,
      next: 1,
      waiting: [],
    };
    expect(percentOf(replay)).toBe(50);
    expect(percentOf({ ...replay, reached: 1_000 })).toBe(99);
    expect(percentOf({ ...replay, status: 'finished' })).toBe(100);
  });
});
