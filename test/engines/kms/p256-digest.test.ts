import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { decodeDerPair, encodeDerPair, signDigest, verifyDigest } from '../../../lib/engines/kms/key.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const scalar = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
const other = Buffer.from(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }).d ?? '',
  'base64url',
);
const digest = (message: Uint8Array) => createHash('sha256').update(message).digest();
const bytes = fc.uint8Array({ maxLength: 100 });

test('OpenSSL verifies a signature over a digest', () => {
  fc.assert(
    fc.property(bytes, message => {
      expect(verify('sha256', message, publicKey, signDigest(scalar, digest(message)))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('an OpenSSL signature over a message is verified over its digest', () => {
  fc.assert(
    fc.property(bytes, message => {
      expect(verifyDigest(scalar, digest(message), sign('sha256', message, privateKey))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('WebCrypto verifies a signature over a digest', async () => {
  const message = Buffer.from('message');
  const pair = decodeDerPair(signDigest(scalar, digest(message)));
  const raw = Buffer.from(
    [pair?.r, pair?.s].map(part => part?.toString(16).padStart(64, '0')).join(''),
    'hex',
  );
  const key = await crypto.subtle.importKey(
    'spki',
    publicKey.export({ type: 'spki', format: 'der' }),
    { name: 'ECDSA', namedCurve: 'P-256' },
    false,
    ['verify'],
  );
  expect(await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, raw, message)).toBe(true);
});

test('another digest, another key and any changed byte are refused', () => {
  const signed = digest(Buffer.from('signed'));
  const signature = signDigest(scalar, signed);
  expect(verifyDigest(scalar, digest(Buffer.from('else')), signature)).toBe(false);
  expect(verifyDigest(other, signed, signature)).toBe(false);
  for (let index = 0; index < signature.length; index += 1) {
    const changed = Buffer.from(signature);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    expect(verifyDigest(scalar, signed, changed)).toBe(false);
  }
});

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

test.each([
  ['zero r', 0n, 1n],
  ['zero s', 1n, 0n],
  ['r beyond the order', order, 1n],
  ['s beyond the order', 1n, order],
])('a signature with %s is refused', (_, r, s) => {
  expect(verifyDigest(scalar, digest(Buffer.from('x')), encodeDerPair(r, s))).toBe(false);
});

test('bytes that are not DER are refused', () => {
  fc.assert(
    fc.property(bytes, junk => expect(verifyDigest(scalar, digest(junk), Buffer.from(junk))).toBe(false)),
  );
});

test('a pair survives its encoding, also with short and with large numbers', () => {
  const part = fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: order }));
  fc.assert(fc.property(part, part, (r, s) => expect(decodeDerPair(encodeDerPair(r, s))).toEqual({ r, s })));
});

test('no two signatures share a nonce', () => {
  const signed = digest(Buffer.from('x'));
  const rs = Array.from({ length: 50 }, () => decodeDerPair(signDigest(scalar, signed))?.r);
  expect(new Set(rs).size).toBe(50);
});
