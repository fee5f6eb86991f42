import { createHash } from 'node:crypto';
import type { MessageAttribute } from './message-attribute.ts';

export const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** AWS docs, "Calculating the MD5 message digest for message attributes". */
export function attributesMd5(attributes: Readonly<Record<string, MessageAttribute>>): string {
  const hash = createHash('md5');
  const add = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  const byName = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, attribute] of byName) {
    add(Buffer.from(name));
    add(Buffer.from(attribute.DataType));
    const isBinary = attribute.BinaryValue !== undefined;
    hash.update(Buffer.from([isBinary ? 2 : 1]));
    add(isBinary ? Buffer.from(attribute.BinaryValue, 'base64') : Buffer.from(attribute.StringValue ?? ''));
  }
  return hash.digest('hex');
}
