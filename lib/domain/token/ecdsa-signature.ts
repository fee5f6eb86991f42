const coordinateBytes = 32;

const trimmed = (coordinate: Uint8Array): Uint8Array => {
  const first = coordinate.findIndex(byte => byte !== 0);
  const short = coordinate.subarray(first === -1 ? coordinateBytes - 1 : first);
  return (short[0] ?? 0) > 127 ? Uint8Array.of(0, ...short) : short;
};

/**
 * A P-256 signature as DER, from r ‖ s.
 *
 * @param raw 64 bytes (RFC 7518 section 3.4)
 */
export const rawToDer = (raw: Uint8Array): Uint8Array => {
  const r = trimmed(raw.subarray(0, coordinateBytes));
  const s = trimmed(raw.subarray(coordinateBytes));
  return Uint8Array.of(0x30, r.length + s.length + 4, 0x02, r.length, ...r, 0x02, s.length, ...s);
};

const coordinate = (der: Uint8Array, at: number): Uint8Array => {
  const length = der[at + 1] ?? 0;
  const digits = der.subarray(at + 2, at + 2 + length);
  const excess = digits.length - coordinateBytes;
  const padded = new Uint8Array(coordinateBytes);
  padded.set(excess > 0 ? digits.subarray(excess) : digits, Math.max(0, -excess));
  return padded;
};

/**
 * r ‖ s, 64 bytes, from a P-256 signature in DER, as KMS returns it.
 *
 * @throws Error when the bytes are not two DER integers that fit
 */
export const derToRaw = (der: Uint8Array): Uint8Array => {
  const sAt = 4 + (der[3] ?? 0);
  const wellFormed =
    der[0] === 0x30 &&
    der[1] === der.length - 2 &&
    der[2] === 0x02 &&
    der[sAt] === 0x02 &&
    sAt + 2 + (der[sAt + 1] ?? 0) === der.length;
  const fits = (der[3] ?? 0) <= coordinateBytes + 1 && (der[sAt + 1] ?? 0) <= coordinateBytes + 1;
  if (!wellFormed || !fits) throw new Error('The key service returned a signature that is not DER.');
  return Uint8Array.of(...coordinate(der, 2), ...coordinate(der, sAt));
};
