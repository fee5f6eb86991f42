export const encodePart = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

export const signingInput = (header: object, claims: object): string =>
  `${encodePart(header)}.${encodePart(claims)}`;

/** base64url without padding, in its one canonical spelling; undefined for any other text. */
export const decodePart = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
};

const longestToken = 8192;

/**
 * The three parts of a compact JWS (RFC 7515 section 7.1); undefined when a text has more or fewer,
 * or is over 8 KiB.
 */
export const partsOf = (token: string): readonly [string, string, string] | undefined => {
  if (token.length > longestToken) return undefined;
  const [header, payload, signature, ...rest] = token.split('.');
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
    return undefined;
  return [header, payload, signature];
};

const coordinateBytes = 32;

const derInteger = 0x02;
const derSequence = 0x30;

/** The 32 bytes of the DER integer at `at`; undefined when there is none, or it needs more. */
const coordinate = (der: Uint8Array, at: number): Uint8Array | undefined => {
  const begin = at + 2;
  const length = der[at + 1] ?? 0;
  const digits = der.subarray(begin, begin + length);
  if (der[at] !== derInteger || digits.length === 0) return undefined;

  // DER puts a zero before an integer whose highest bit is set: it is a sign, not a digit.
  const hasSign = digits.length === coordinateBytes + 1 && digits[0] === 0;
  const magnitude = digits.subarray(hasSign ? 1 : 0);
  if (magnitude.length > coordinateBytes) return undefined;
  const padded = new Uint8Array(coordinateBytes);
  padded.set(magnitude, coordinateBytes - magnitude.length);
  return padded;
};

/**
 * r ‖ s, 64 bytes, from a P-256 signature in DER, as KMS returns it.
 *
 * @throws Error when the bytes are not two DER integers that fit
 */
export const derToRaw = (der: Uint8Array): Uint8Array => {
  const [sequence, length, , rLength = 0] = der;
  const sAt = 4 + rLength;
  const end = sAt + 2 + (der[sAt + 1] ?? 0);
  const isWhole = sequence === derSequence && length === der.length - 2 && end === der.length;
  const r = coordinate(der, 2);
  const s = coordinate(der, sAt);
  if (!isWhole || !r || !s)
    throw new Error('The key service returned a signature that is not DER.');

  const raw = new Uint8Array(2 * coordinateBytes);
  raw.set(r);
  raw.set(s, coordinateBytes);
  return raw;
};

/** The order of P-256 (NIST SP 800-186 section 3.2.1.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const bytesOf = (coordinate: bigint): Buffer =>
  Buffer.from(coordinate.toString(16).padStart(2 * coordinateBytes, '0'), 'hex');

const highestLowS = bytesOf(order >> 1n);

/**
 * With every signature (r, s), (r, order - s) is one too: only the one with the low s counts.
 *
 * @param raw r ‖ s, 64 bytes
 */
export const hasLowS = (raw: Uint8Array): boolean =>
  Buffer.compare(raw.subarray(coordinateBytes), highestLowS) <= 0;

export const withLowS = (raw: Uint8Array): Uint8Array => {
  if (hasLowS(raw)) return raw;
  const s = BigInt(`0x${Buffer.from(raw.subarray(coordinateBytes)).toString('hex')}`);
  return Buffer.concat([raw.subarray(0, coordinateBytes), bytesOf(order - s)]);
};
