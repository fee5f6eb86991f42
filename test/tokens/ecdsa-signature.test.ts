import { sign, verify } from 'node:crypto';
import { derToRaw, hasLowS, rawToDer, withLowS } from '../../lib/tokens/jws.ts';
import { privateKey, publicKey } from './tokens.ts';

describe('an ECDSA signature', () => {
  test('made by OpenSSL as DER verifies as raw, and the other way round', () => {
    for (let number = 0; number < 300; number += 1) {
      const data = Buffer.from(String(number));
      const raw = derToRaw(sign('sha256', data, privateKey));
      expect(verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw)).toBe(true);
      expect(verify('sha256', data, publicKey, rawToDer(raw))).toBe(true);
    }
  });

  test('has one spelling: with a low s it is as valid, and does not change again', () => {
    let mirrored = 0;
    for (let number = 0; number < 100; number += 1) {
      const data = Buffer.from(String(number));
      const raw = derToRaw(sign('sha256', data, privateKey));
      const low = withLowS(raw);
      mirrored += hasLowS(raw) ? 0 : 1;
      expect(hasLowS(low)).toBe(true);
      expect(withLowS(low)).toEqual(low);
      expect(verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, low)).toBe(true);
    }
    expect(mirrored).toBeGreaterThan(0);
  });

  test.each([
    [[]],
    [[0x30, 0]],
    [[0x30, 6, 2, 1, 1, 3, 1, 1]],
    [[0x30, 7, 2, 1, 1, 2, 1, 1]],
    [[0x30, 6, 2, 200, 1, 2, 1, 1]],
  ])('of the bytes %j is an error of the key service', bytes => {
    expect(() => derToRaw(Uint8Array.from(bytes))).toThrow('not DER');
  });
});
