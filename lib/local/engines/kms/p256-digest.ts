import { createECDH, randomBytes } from 'node:crypto';
import { decodeDerPair, encodeDerPair } from './der-pair.ts';

/*
 * ECDSA over a digest that is given (FIPS 186-5 section 6.4). Node's `sign` and `verify` always hash what an EC key
 * signs, so only the arithmetic on whole numbers is done here; points are multiplied by OpenSSL, through ECDH.
 */

/** The order of P-256 (SP 800-186 section 3.2.1.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const scalarBytes = 32;

/** Signs a 32-byte digest with a P-256 private scalar: DER, as KMS gives it. */
export function signDigest(scalar: Buffer, digest: Buffer): Buffer {
  for (;;) {
    const nonce = createECDH('prime256v1');
    const r = xOf(nonce.generateKeys()) % order;
    const s = mod(inverse(toNumber(nonce.getPrivateKey())) * (toNumber(digest) + r * toNumber(scalar)));
    if (r !== 0n && s !== 0n) return encodeDerPair(r, s);
  }
}

/** Whether `signature` is one of the scalar's key over the digest. */
export function verifyDigest(scalar: Buffer, digest: Buffer, signature: Buffer): boolean {
  const pair = decodeDerPair(signature);
  if (pair === undefined || ![pair.r, pair.s].every(part => part > 0n && part < order)) return false;
  const w = inverse(pair.s);
  // u1·G + u2·Q with Q = d·G: who has the private key needs one multiplication.
  const multiple = mod(w * (toNumber(digest) + pair.r * toNumber(scalar)));
  if (multiple === 0n) return false;
  const point = createECDH('prime256v1');
  point.setPrivateKey(toBytes(multiple));
  return xOf(point.getPublicKey()) % order === pair.r;
}

const mod = (value: bigint) => ((value % order) + order) % order;
const toNumber = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);
const toBytes = (value: bigint) => Buffer.from(value.toString(16).padStart(2 * scalarBytes, '0'), 'hex');
/** Of an uncompressed point: 04, x, y. */
const xOf = (point: Buffer) => toNumber(point.subarray(1, 1 + scalarBytes));

/** Fermat's: value to the power of order - 2, with a random factor so that its duration says nothing of `value`. */
function inverse(value: bigint): bigint {
  const blind = mod(toNumber(randomBytes(scalarBytes))) || 1n;
  return mod(blind * power(mod(blind * value), order - 2n));
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}
