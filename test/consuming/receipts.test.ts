import {
  memberReceipt,
  readReceipt,
  returnedSingle,
  singleGroup,
  singleReceipt,
} from '../../lib/consuming/receipts.ts';
import { releaseDelay } from '../../lib/consuming/settle.ts';

const group = 'abcdefghijklmnop';

test.each([
  [singleReceipt({ handle: 'h.1', takenAt: 35 }), 's.z..h.1', { kind: 'single', handle: 'h.1', takenAt: 35 }],
  [
    singleReceipt({ handle: 'AQEB/+=', takenAt: 35 }),
    's.z..AQEB/+=',
    { kind: 'single', handle: 'AQEB/+=', takenAt: 35 },
  ],
  [memberReceipt(group, 0), `g.${group}.0`, { kind: 'member', group, position: 0 }],
  [memberReceipt(group, 9), `g.${group}.9`, { kind: 'member', group, position: 9 }],
])('%s is written and read', (written, text, receipt) => {
  expect(written).toBe(text);
  expect(readReceipt(text)).toEqual(receipt);
});

test.each([
  ...['', 's', 's.', 's..h', 's.z.', 's.AQEB', 's.Z.h', 's.0123456789.h', 'AQEB', 'g.short.0'],
  ...[`g.${group}.10`, `g.${group}.`, 'g.abcdefghijklmno#.1'],
])('%j was never a receipt', text => {
  expect(readReceipt(text)).toBeUndefined();
});

const facts = ['m1', 'link.committed', 'k1', 'pull-1', 2, 5, 1, 9];

test.each([
  ['all of them', facts, true],
  ['a replay too', [...facts, 'y1'], true],
  ['a name with a mark', ['m#1', ...facts.slice(1)], false],
  ['an empty name', ['', ...facts.slice(1)], false],
  ['a text for a number', [...facts.slice(0, 5), '5', 1, 9], false],
  ['no time', facts.slice(0, 7), false],
  ['a number for a replay', [...facts, 7], false],
  ['no list', { length: 8 }, false],
])('a receipt whose consumer wrote %s into its receive', (_what, written, isRead) => {
  const text = `s.rs.${Buffer.from(JSON.stringify(written)).toString('base64url')}.h`;
  const times = { acceptedAt: 995, takenAt: 1_001, visibleAt: 1_009 };
  expect(readReceipt(text)).toEqual({
    ...{ kind: 'single', handle: 'h', takenAt: 1_000 },
    ...(isRead ? { receive: expect.objectContaining({ messageId: 'm1', receiveCount: 2, ...times }) } : {}),
  });
});

test('a returned single message is a group of one, blocked and returned, for the twelve hours of its handle', () => {
  expect(returnedSingle({ handle: 'h1', takenAt: 1_000 })).toEqual({
    id: singleGroup('h1'),
    handles: ['h1'],
    blockedFrom: 0,
    returned: [0],
    takenAt: 1_000,
    until: 1_000 + 12 * 3_600_000,
  });
  expect(singleGroup('h1')).toMatch(/^[\w-]{16}$/);
  expect(singleGroup('h2')).not.toBe(singleGroup('h1'));
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
