/** `SEQUENCE { INTEGER r, INTEGER s }` (RFC 3279 section 2.2.3) of a curve with at most 256 bits. */
export function encodeDerPair(r: bigint, s: bigint): Buffer {
  const content = Buffer.concat([integer(r), integer(s)]);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}

function integer(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  // A leading 1 bit would be a minus sign.
  const content = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return Buffer.concat([Buffer.from([0x02, content.length]), content]);
}

/** undefined: not the one DER encoding of a pair. */
export function decodeDerPair(der: Buffer): { readonly r: bigint; readonly s: bigint } | undefined {
  const lengthOfR = der[3] ?? 0;
  const r = magnitude(der.subarray(4, 4 + lengthOfR));
  const s = magnitude(der.subarray(6 + lengthOfR));
  return encodeDerPair(r, s).equals(der) ? { r, s } : undefined;
}

const magnitude = (bytes: Buffer) => BigInt(`0x0${bytes.toString('hex')}`);
