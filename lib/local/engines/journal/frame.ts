import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/*
 * A frame is what one group commit writes: a header (magic, payload length, payload checksum, checksum of the
 * header itself; four big-endian 32-bit numbers), then records, each its two lengths, its meta as JSON and its body.
 * A frame is written only after the one before it reached the disk, so a sound frame proves all earlier ones.
 */

const magic = 0x53424a31;
const headerBytes = 16;
const recordHeaderBytes = 8;
/** Payload bytes after which a writer starts another frame; a single record may be larger. */
export const frameBytes = 16 * 1024 * 1024;

export interface FrameRecord {
  readonly meta: Buffer;
  readonly body: Buffer;
}

export interface FoundRecord {
  readonly meta: unknown;
  readonly bodyOffset: number;
  readonly bodyLength: number;
}

export interface Frame {
  readonly records: readonly FoundRecord[];
  /** Where the next frame begins. */
  readonly end: number;
}

/** Why the bytes at an offset are no frame. */
export interface Damage {
  readonly damage: string;
}

/** The bytes that a record takes in a frame. */
export const recordBytes = (record: FrameRecord): number =>
  recordHeaderBytes + record.meta.length + record.body.length;

/** The frame to be written at `offset`, and where in the file each record's body will stand. */
export function encodeFrame(records: readonly FrameRecord[], offset: number) {
  const chunks: Buffer[] = [];
  const bodyOffsets: number[] = [];
  let length = 0;
  let checksum = 0;
  const add = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    checksum = crc32(chunk, checksum);
  };
  for (const { meta, body } of records) {
    const lengths = Buffer.alloc(recordHeaderBytes);
    lengths.writeUInt32BE(meta.length, 0);
    lengths.writeUInt32BE(body.length, 4);
    add(lengths);
    add(meta);
    bodyOffsets.push(offset + headerBytes + length);
    if (body.length > 0) add(body);
  }
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(magic, 0);
  header.writeUInt32BE(length, 4);
  header.writeUInt32BE(checksum, 8);
  header.writeUInt32BE(crc32(header.subarray(0, 12)), 12);
  return { chunks: [header, ...chunks], bytes: headerBytes + length, bodyOffsets };
}

/** The frame at `offset`, or why there is none. */
export async function readFrame(file: FileHandle, offset: number, size: number): Promise<Frame | Damage> {
  if (size - offset < headerBytes) return { damage: 'the file ends inside a frame header' };
  const header = await readExactly(file, offset, headerBytes);
  if (header.readUInt32BE(0) !== magic) return { damage: 'no frame begins here' };
  if (crc32(header.subarray(0, 12)) !== header.readUInt32BE(12)) return { damage: 'frame header checksum' };
  const length = header.readUInt32BE(4);
  const start = offset + headerBytes;
  if (length > size - start) return { damage: 'the file ends inside a frame' };
  const payload = await readExactly(file, start, length);
  if (crc32(payload) !== header.readUInt32BE(8)) return { damage: 'frame checksum' };
  return { records: decodeRecords(payload, start), end: start + length };
}

function decodeRecords(payload: Buffer, start: number): FoundRecord[] {
  const records: FoundRecord[] = [];
  let at = 0;
  while (at < payload.length) {
    const metaEnd = at + recordHeaderBytes + payload.readUInt32BE(at);
    const bodyLength = payload.readUInt32BE(at + 4);
    const meta: unknown = JSON.parse(payload.toString('utf8', at + recordHeaderBytes, metaEnd));
    records.push({ meta, bodyOffset: start + metaEnd, bodyLength });
    at = metaEnd + bodyLength;
  }
  return records;
}

/** `length` bytes at `offset`; rejects when the file is shorter. */
export async function readExactly(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, offset + read);
    if (bytesRead === 0) throw new Error(`The file ends at ${offset + read}, before ${offset + length}`);
    read += bytesRead;
  }
  return buffer;
}

const scanBytes = 1024 * 1024;

/**
 * Whether a sound frame begins anywhere after `offset`. None can stand inside a record: the high byte of a length
 * is a zero byte, which neither JSON nor a message body contains.
 */
export async function hasFrameAfter(file: FileHandle, offset: number, size: number): Promise<boolean> {
  const mark = Buffer.alloc(4);
  mark.writeUInt32BE(magic);
  for (let from = offset + 1; from + headerBytes <= size; from += scanBytes) {
    const chunk = await readExactly(file, from, Math.min(scanBytes + mark.length - 1, size - from));
    for (let at = chunk.indexOf(mark); at >= 0; at = chunk.indexOf(mark, at + 1)) {
      const frame = await readFrame(file, from + at, size);
      if ('records' in frame) return true;
    }
  }
  return false;
}
