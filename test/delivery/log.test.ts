import { isFree, newLease } from '../../lib/delivery/log.ts';

test('a lease lasts five seconds for its owner, and two seconds longer for others', () => {
  const lease = newLease('me', 1_000);
  expect(lease).toEqual({ owner: 'me', until: 6_000 });
  expect([isFree(lease, 7_999), isFree(lease, 8_000), isFree(undefined, 0)]).toEqual([false, true, true]);
});
