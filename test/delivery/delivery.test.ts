import { memberReceipt, readReceipt, singleReceipt } from '../../lib/consuming/receipts.ts';
import { releaseDelay } from '../../lib/consuming/settle.ts';

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
