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
  if (!text.startsWith('[') || decoded.slice(0, 8) !== checksum(text)) return undefined;
  const parts: unknown = JSON.parse(text);
  if (!Array.isArray(parts)) return undefined;
  const [queue, sequence, receipt] = parts;
  if (typeof queue !== 'string' || typeof sequence !== 'number' || typeof receipt !== 'string')
    return undefined;
  return { queue, sequence, receipt };
};

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0');
