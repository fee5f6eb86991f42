import { createECDH, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** A P-256 signing key. Times are epoch milliseconds. */
export interface KmsKey {
  readonly id: string;
  readonly createdAt: number;
  readonly description: string;
  readonly enabled: boolean;
  /** When it is deleted, if that is scheduled. */
  readonly deletionAt?: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly privateKey: KeyObject;
}

export const newKey = (facts: Omit<KmsKey, 'privateKey' | 'enabled'>): KmsKey => ({
  ...facts,
  enabled: true,
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
});

type KmsKeyState = 'Enabled' | 'Disabled' | 'PendingDeletion';

export const stateOf = ({ enabled, deletionAt }: KmsKey): KmsKeyState => {
  if (deletionAt !== undefined) return 'PendingDeletion';
  return enabled ? 'Enabled' : 'Disabled';
};

/** DER-encoded SubjectPublicKeyInfo. */
export const publicKeyOf = (key: KmsKey): Buffer =>
  createPublicKey(key.privateKey).export({ type: 'spki', format: 'der' });

/** The private number, 32 bytes. */
export const scalarOf = (key: KmsKey): Buffer =>
  Buffer.from(key.privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');

/** `SEQUENCE { INTEGER r, INTEGER s }` (RFC 3279 section 2.2.3) of a curve with at most 256 bits. */
export const encodeDerPair = (r: bigint, s: bigint): Buffer => {
  const content = Buffer.concat([integer(r), integer(s)]);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
};

const integer = (value: bigint): Buffer => {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  // A leading 1 bit would be a minus sign.
  const content = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return Buffer.concat([Buffer.from([0x02, content.length]), content]);
};

/** undefined: not the one DER encoding of a pair. */
export const decodeDerPair = (der: Buffer): { readonly r: bigint; readonly s: bigint } | undefined => {
  const lengthOfR = der[3] ?? 0;
  const r = magnitude(der.subarray(4, 4 + lengthOfR));
  const s = magnitude(der.subarray(6 + lengthOfR));
  return encodeDerPair(r, s).equals(der) ? { r, s } : undefined;
};

const magnitude = (bytes: Buffer) => BigInt(`0x0${bytes.toString('hex')}`);

/*
 * ECDSA over a digest that is given (FIPS 186-5 section 6.4). Node's `sign` and `verify` always hash what an EC key
 * signs, so only the arithmetic on whole numbers is done here; points are multiplied by OpenSSL, through ECDH.
 */

/** The order of P-256 (SP 800-186 section 3.2.1.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const scalarBytes = 32;

/** Signs a 32-byte digest with a P-256 private scalar: DER, as KMS gives it. */
export const signDigest = (scalar: Buffer, digest: Buffer): Buffer => {
  for (;;) {
    const nonce = createECDH('prime256v1');
    const r = xOf(nonce.generateKeys()) % order;
    const s = mod(inverse(toNumber(nonce.getPrivateKey())) * (toNumber(digest) + r * toNumber(scalar)));
    if (r !== 0n && s !== 0n) return encodeDerPair(r, s);
  }
};

/** Whether `signature` is one of the scalar's key over the digest. */
export const verifyDigest = (scalar: Buffer, digest: Buffer, signature: Buffer): boolean => {
  const pair = decodeDerPair(signature);
  if (pair === undefined || ![pair.r, pair.s].every(part => part > 0n && part < order)) return false;
  const w = inverse(pair.s);
  // u1·G + u2·Q with Q = d·G: who has the private key needs one multiplication.
  const multiple = mod(w * (toNumber(digest) + pair.r * toNumber(scalar)));
  if (multiple === 0n) return false;
  const point = createECDH('prime256v1');
  point.setPrivateKey(toBytes(multiple));
  return xOf(point.getPublicKey()) % order === pair.r;
};

const mod = (value: bigint) => ((value % order) + order) % order;
const toNumber = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);
const toBytes = (value: bigint) => Buffer.from(value.toString(16).padStart(2 * scalarBytes, '0'), 'hex');
/** Of an uncompressed point: 04, x, y. */
const xOf = (point: Buffer) => toNumber(point.subarray(1, 1 + scalarBytes));

/** Fermat's: value to the power of order - 2, with a random factor so that its duration says nothing of `value`. */
const inverse = (value: bigint): bigint => {
  const blind = mod(toNumber(randomBytes(scalarBytes))) || 1n;
  return mod(blind * power(mod(blind * value), order - 2n));
};

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
};
