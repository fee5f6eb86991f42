import { canHaveExpired, isFree, newLease } from '../../../lib/bus/delivery/log.ts';

test('a lease lasts five seconds for its owner, and two seconds longer for others', () => {
  const lease = newLease('me', 1_000);
  expect(lease).toEqual({ owner: 'me', until: 6_000 });
  expect([isFree(lease, 7_999), isFree(lease, 8_000), isFree(undefined, 0)]).toEqual([
    false,
    true,
    true,
  ]);
});

// The shortest archive is the preview's.
test.each([
  [7 * 86_400_000 - 1, false],
  [7 * 86_400_000, true],
])('a missing entry of a log that has waited for %i ms can have expired: %s', (waited, expired) => {
  expect(canHaveExpired({ unsentSince: 1_000, now: 1_000 + waited })).toBe(expired);
});
