import type { FileHandle } from 'node:fs/promises';
import { headerBytes, isSoundHeader, magics, payloadBytesOf, readExactly } from './frame.ts';

const scanBytes = 1024 * 1024;
/** No disk writes less at a time: what a crash of the machine leaves out begins at a multiple of it. */
const sectorBytes = 512;

/**
 * Whether the bytes from `offset`, which are no frame, are all that a crash left of one that was being written: the
 * beginning of it (the process ended), or zeros from a disk sector on (the machine did). Anything else was whole once,
 * and may have been acknowledged. No frame that was written ends in a sector of zeros: a record's last bytes are text.
 */
export async function isTorn(file: FileHandle, offset: number, size: number): Promise<boolean> {
  const zeros = await zerosFrom(file, offset, size);
  // A file of nothing but zeros may have held any number of frames.
  if (zeros === 0) return false;
  if (zeros === offset || Math.ceil(zeros / sectorBytes) * sectorBytes < size) return true;
  const header = await readExactly(file, offset, Math.min(headerBytes, size - offset));
  if (header.length < headerBytes) return beginsLikeOne(header);
  return isSoundHeader(header) && payloadBytesOf(header) > size - offset - headerBytes;
}

const beginsLikeOne = (part: Buffer): boolean =>
  Object.values(magics).some(magic => {
    const whole = Buffer.alloc(4);
    whole.writeUInt32BE(magic);
    return whole.subarray(0, part.length).equals(part.subarray(0, 4));
  });

/** Where the zeros at the end of the file begin, `offset` at the earliest. */
async function zerosFrom(file: FileHandle, offset: number, size: number): Promise<number> {
  for (let end = size; end > offset; ) {
    const from = Math.max(offset, end - scanBytes);
    const chunk = await readExactly(file, from, end - from);
    const last = chunk.findLastIndex(byte => byte !== 0);
    if (last >= 0) return from + last + 1;
    end = from;
  }
  return offset;
}
