import { sign, verify } from 'node:crypto';
import { derToRaw, hasLowS, withLowS } from '../../../lib/bus/tokens/jws.ts';
import { tryMutatedTokens } from '../../campaign/mutated-tokens.ts';
import { privateKey, publicKey } from './tokens.ts';

const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;

test('an ECDSA signature made as DER verifies as raw, and has one spelling: with a low s it is as valid', () => {
  let mirrored = 0;
  for (let number = 0; number < 300; number += 1) {
    const data = Buffer.from(String(number));
    const raw = derToRaw(sign('sha256', data, privateKey));
    const low = withLowS(raw);
    mirrored += hasLowS(raw) ? 0 : 1;
    expect([raw, low].map(bytes => verify('sha256', data, key, bytes))).toEqual([true, true]);
    expect(hasLowS(low)).toBe(true);
    expect(withLowS(low)).toEqual(low);
  }
  expect(mirrored).toBeGreaterThan(0);
});

const full = (first: number) => [first, ...Array(31).fill(7)];

test.each([
  ['short ones', [2, 1, 5], [2, 2, 1, 0], [...Array(31).fill(0), 5, ...Array(30).fill(0), 1, 0]],
  ['zero', [2, 1, 0], [2, 1, 1], [...Array(63).fill(0), 1]],
  [
    'a zero before a set top bit',
    [2, 33, 0, ...full(200)],
    [2, 32, ...full(1)],
    [...full(200), ...full(1)],
  ],
])('of DER integers, %s become 32 bytes each', (_, r, s, raw) => {
  const body = [...r, ...s];
  expect([...derToRaw(Uint8Array.from([0x30, body.length, ...body]))]).toEqual(raw);
});

test.each([
  [[]],
  [[0x30, 0]],
  [[0x30, 6, 2, 1, 1, 3, 1, 1]],
  [[0x30, 7, 2, 1, 1, 2, 1, 1]],
  [[0x30, 6, 2, 200, 1, 2, 1, 1]],
  [[0x30, 38, 2, 33, 1, ...full(1), 2, 1, 1]],
])('the bytes %j are an error of the key service', bytes => {
  expect(() => derToRaw(Uint8Array.from(bytes))).toThrow('not DER');
});

test('no mutation of a valid token by a bit or a byte is accepted (4,000 tried; npm run campaign tries 100,000)', () => {
  expect(tryMutatedTokens(4_000)).toEqual({ tried: 4_000, accepted: [] });
});
