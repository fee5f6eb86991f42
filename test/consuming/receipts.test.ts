import {
  memberReceipt,
  readReceipt,
  returnedSingle,
  singleGroup,
  singleReceipt,
} from '../../lib/consuming/receipts.ts';

const group = 'abcdefghijklmnop';

test.each([
  [singleReceipt({ handle: 'h.1', takenAt: 35 }), 's.z..h.1', { kind: 'single', handle: 'h.1', takenAt: 35 }],
  [memberReceipt(group, 0), `g.${group}.0`, { kind: 'member', group, position: 0 }],
  [memberReceipt(group, 9), `g.${group}.9`, { kind: 'member', group, position: 9 }],
])('%s is written and read', (written, text, receipt) => {
  expect(written).toBe(text);
  expect(readReceipt(text)).toEqual(receipt);
});

test.each(['', 's', 's..h', 's.z.', 's.Z.h', 's.0123456789.h', 'g.short.0', `g.${group}.10`, `g.${group}.`])(
  '%j was never a receipt',
  text => {
    expect(readReceipt(text)).toBeUndefined();
  },
);

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
