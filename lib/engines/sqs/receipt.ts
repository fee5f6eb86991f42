import { crc32 } from 'node:zlib';

/** What a receipt handle encodes: one receive of one message of one queue. */
export interface Receipt {
  readonly queue: string;
  readonly sequence: number;
  readonly receipt: string;
}

/** An opaque text without any character that needs escaping; its checksum tells a damaged handle from an old one. */
export const encodeReceipt = ({ queue, sequence, receipt }: Receipt): string => {
  const text = JSON.stringify([queue, sequence, receipt]);
  return Buffer.from(`${checksum(text)}${text}`).toString('base64url');
};

/** undefined: not a handle that `encodeReceipt` returned. */
export const decodeReceipt = (handle: string): Receipt | undefined => {
  const decoded = Buffer.from(handle, 'base64url').toString();
  const text = decoded.slice(8);
  if (decoded.slice(0, 8) !== checksum(text)) return undefined;
  const parts = parsed(text);
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [queue, sequence, receipt] = parts;
  if (typeof queue !== 'string' || !Number.isSafeInteger(sequence) || typeof receipt !== 'string')
    return undefined;
  return { queue, sequence, receipt };
};

/** Anybody can compute a checksum: what has one need not be JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0');
