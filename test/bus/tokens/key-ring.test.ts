import {
  activateKey,
  addKey,
  firstRing,
  type KeyRing,
  published,
  type RingChange,
  retireKey,
  retireKeyNow,
} from '../../../lib/bus/tokens/key-ring.ts';

const minute = 60_000;
const start = Date.parse('2026-05-04T09:00:00Z');
const key = (kid: string) =>
  ({ kid, keyId: `arn:${kid}`, jwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' } }) as const;
const ringOf = (change: RingChange): KeyRing => {
  if (change.kind === 'declined') throw new Error(change.reason);
  return change.ring;
};
const reason = (change: RingChange): string | undefined =>
  change.kind === 'declined' ? change.reason : undefined;
const states = (ring: KeyRing): string[] =>
  published(ring).map(({ kid, state }) => `${kid} ${state}`);

const first = firstRing(key('one'));
const waiting = ringOf(addKey(first, key('two'), start));
const rotated = ringOf(activateKey(waiting, 'two', start + 10 * minute));
/**
 * The hour of the last token, the leeway of five seconds, and ten seconds of remembering the old
 * ring.
 */
const idle = start + 10 * minute + 3_615_000;

describe('the key ring', () => {
  test('publishes the signing key first, and goes through a rotation one version at a time', () => {
    expect(states(first)).toEqual(['one active']);
    expect(states(waiting)).toEqual(['one active', 'two next']);
    expect(states(rotated)).toEqual(['two active', 'one previous']);
    const done = ringOf(retireKey(rotated, 'one', idle));
    expect(states(done)).toEqual(['two active']);
    expect([first, waiting, rotated, done].map(({ version }) => version)).toEqual([0, 1, 2, 3]);
  });

  test('a key signs ten minutes after it was published, and not a millisecond before', () => {
    expect(reason(activateKey(waiting, 'two', start + 10 * minute - 1))).toBe(
      'The key two must be published for 10 minutes before it signs: activate it after 2026-05-04T09:10:00.000Z.',
    );
  });

  test('a superseded key stays until its last token has expired', () => {
    expect(reason(retireKey(rotated, 'one', idle - 1))).toBe(
      'Tokens that the key one signed are valid until 2026-05-04T10:10:15.000Z: retire it after that.',
    );
  });

  test('a waiting key may be withdrawn: it signed nothing', () => {
    expect(states(ringOf(retireKey(waiting, 'two', start)))).toEqual(['one active']);
  });

  test.each([
    ['a second waiting key', addKey(waiting, key('three'), start), /two is waiting already/],
    ['a key nobody knows to sign', activateKey(waiting, 'none', idle), /There is no key none/],
    ['the signing key to sign', activateKey(waiting, 'one', idle), /one signs already/],
    ['a superseded key to sign again', activateKey(rotated, 'one', idle), /one was superseded/],
    [
      'the signing key to go',
      retireKey(rotated, 'two', idle),
      /two signs: add and activate another/,
    ],
    ['a key nobody knows to go', retireKey(rotated, 'none', idle), /There is no key none/],
    [
      'a rotation before the last one is finished',
      activateKey(ringOf(addKey(rotated, key('three'), start)), 'three', idle),
      /one is still published: retire it first/,
    ],
  ])('does not allow %s', (_, change, expected) => {
    expect(reason(change)).toMatch(expected);
  });
});

describe('a key that someone else may sign with', () => {
  const now = start + 11 * minute;

  test.each([
    [
      'the signing key, if another one waits',
      retireKeyNow(waiting, 'one', { now }),
      ['two active'],
    ],
    [
      'the only key, if a new one is made',
      retireKeyNow(first, 'one', { made: key('new'), now }),
      ['new active'],
    ],
    [
      'the one before, whose tokens are valid',
      retireKeyNow(rotated, 'one', { now }),
      ['two active'],
    ],
    [
      'the signing key during a rotation',
      retireKeyNow(rotated, 'two', { made: key('new'), now }),
      ['new active', 'one previous'],
    ],
    ['the waiting key', retireKeyNow(waiting, 'two', { now }), ['one active']],
  ])('is gone at once: %s', (_, change, left) => {
    expect(states(ringOf(change))).toEqual(left);
  });

  test('is not gone if nothing could sign then, or if nobody knows it', () => {
    expect(reason(retireKeyNow(first, 'one', { now }))).toMatch(/no other key is there to sign/);
    expect(reason(retireKeyNow(first, 'none', { now }))).toMatch(/There is no key none/);
  });
});
