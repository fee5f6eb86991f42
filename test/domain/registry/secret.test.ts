import { clientSecret, hashSecret, secretMatches } from '../../../lib/domain/registry/secret.ts';

const now = Date.parse('2026-05-04T09:00:00Z');
const issuedAt = '2026-05-04T08:00:00.000Z';
const current = clientSecret(new Uint8Array(32).fill(1));
const previous = clientSecret(new Uint8Array(32).fill(2));

describe('a client secret', () => {
  test('is sbs_ and 43 characters of base64url', () => {
    expect(current).toMatch(/^sbs_[A-Za-z0-9_-]{43}$/);
  });

  test('is stored as the SHA-256 of its text', () => {
    // printf abc | openssl dgst -sha256 -binary | basenc --base64url
    expect(hashSecret('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });

  const credential = { version: 2, current: { hash: hashSecret(current), issuedAt } };

  test('matches while it is the current one', () => {
    expect(secretMatches(credential, current, now)).toBe(true);
    expect(secretMatches(credential, previous, now)).toBe(false);
  });

  test('matches as the previous one until the overlap ends, to the millisecond', () => {
    const rotated = { ...credential, previous: { hash: hashSecret(previous), until: now } };
    expect(secretMatches(rotated, previous, now - 1)).toBe(true);
    expect(secretMatches(rotated, previous, now)).toBe(false);
    expect(secretMatches(rotated, current, now)).toBe(true);
  });

  test('never matches an unknown client, not even an empty secret', () => {
    expect(secretMatches(undefined, '', now)).toBe(false);
    expect(secretMatches(undefined, current, now)).toBe(false);
  });
});
