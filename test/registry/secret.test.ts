import {
  type Credential,
  clientSecret,
  hashSecret,
  matchingSecret,
  useToNote,
} from '../../lib/registry/connection.ts';

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
    expect(matchingSecret(credential, current, now)).toBe('current');
    expect(matchingSecret(credential, previous, now)).toBeUndefined();
  });

  test('matches as the previous one until the overlap ends, to the millisecond', () => {
    const rotated = { ...credential, previous: { hash: hashSecret(previous), until: now } };
    expect(matchingSecret(rotated, previous, now - 1)).toBe('previous');
    expect(matchingSecret(rotated, previous, now)).toBeUndefined();
    expect(matchingSecret(rotated, current, now)).toBe('current');
  });

  test('never matches an unknown client, not even an empty secret', () => {
    expect(matchingSecret(undefined, '', now)).toBeUndefined();
    expect(matchingSecret(undefined, current, now)).toBeUndefined();
  });

  test('never matches where the secrets were revoked, not even an empty secret', () => {
    expect(matchingSecret({ version: 3 }, '', now)).toBeUndefined();
    expect(matchingSecret({ version: 3 }, current, now)).toBeUndefined();
  });
});

describe('the use of a secret', () => {
  const hash = hashSecret(current);
  const used = (lastUsedAt: string): Credential => ({ version: 1, current: { hash, issuedAt, lastUsedAt } });

  test('is noted the first time, with the secret it was', () => {
    const credential = { version: 1, current: { hash, issuedAt } };
    expect(useToNote(credential, 'current', now)).toEqual({ slot: 'current', hash, at: now });
  });

  test('is noted again after a minute, and not before', () => {
    expect(useToNote(used('2026-05-04T08:59:00.000Z'), 'current', now)).toBeDefined();
    expect(useToNote(used('2026-05-04T08:59:00.001Z'), 'current', now)).toBeUndefined();
  });
});
