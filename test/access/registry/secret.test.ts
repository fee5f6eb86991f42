import {
  type Credential,
  clientSecret,
  hashSecret,
  useToNote,
} from '../../../lib/access/registry/connection.ts';

const now = Date.parse('2026-05-04T09:00:00Z');
const issuedAt = '2026-05-04T08:00:00.000Z';
const current = clientSecret(new Uint8Array(32).fill(1));

describe('a client secret', () => {
  test('is sbs_ and 43 characters of base64url', () => {
    expect(current).toMatch(/^sbs_[A-Za-z0-9_-]{43}$/);
  });

  test('is stored as the SHA-256 of its text', () => {
    // printf abc | openssl dgst -sha256 -binary | basenc --base64url
    expect(hashSecret('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});

describe('the use of a secret', () => {
  const hash = hashSecret(current);
  const used = (lastUsedAt: string): Credential => ({
    version: 1,
    current: { hash, issuedAt, lastUsedAt },
  });

  test('is noted the first time, with the secret it was', () => {
    const credential = { version: 1, current: { hash, issuedAt } };
    expect(useToNote(credential, 'current', now)).toEqual({ slot: 'current', hash, at: now });
  });

  test('is noted again after a minute, and not before', () => {
    expect(useToNote(used('2026-05-04T08:59:00.000Z'), 'current', now)).toBeDefined();
    expect(useToNote(used('2026-05-04T08:59:00.001Z'), 'current', now)).toBeUndefined();
  });
});
