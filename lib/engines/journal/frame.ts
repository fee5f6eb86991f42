import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/*
 * A frame is what one group commit writes: a header (magic, payload length, payload checksum, checksum of the
 * header itself; four big-endian 32-bit numbers), then records, each its two lengths, its meta as JSON and its body.
 * A frame is written only after the one before it reached the disk: a crash tears the last one at most.
 * A frame without records is the seal of a file that is finished: no other frame comes after it.
 */

/** What frames begin with: those of versions that kept no mark (see mark.ts), and those of this one. */
const magics = { unmarked: 0x53424a31, marked: 0x53424a32 } as const;
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
  readonly header: Buffer;
  /** Whether the version that wrote it kept a mark. */
  readonly isMarked: boolean;
  /** Where the next frame begins. */
  readonly end: number;
}

/** Why the bytes at an offset are not a frame. */
export interface Damage {
  readonly damage: string;
}

/** The bytes that a record takes in a frame. */
export const recordBytes = (record: FrameRecord): number =>
  recordHeaderBytes + record.meta.length + record.body.length;

/** The frame to be written at `offset`, and where in the file each record's body will stand. */
export const encodeFrame = (records: readonly FrameRecord[], offset: number) => {
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
  header.writeUInt32BE(magics.marked, 0);
  header.writeUInt32BE(length, 4);
  header.writeUInt32BE(checksum, 8);
  header.writeUInt32BE(crc32(header.subarray(0, 12)), 12);
  return { header, chunks: [header, ...chunks], bytes: headerBytes + length, bodyOffsets };
};

/** The frame at `offset`, or why there is none. */
export const readFrame = async (file: FileHandle, offset: number, size: number): Promise<Frame | Damage> => {
  if (size - offset < headerBytes) return { damage: 'the file ends inside a frame header' };
  const header = await readExactly(file, offset, headerBytes);
  if (!isMagic(header)) return { damage: 'no frame begins here' };
  if (!isSoundHeader(header)) return { damage: 'frame header checksum' };
  const length = payloadBytesOf(header);
  const start = offset + headerBytes;
  if (length > size - start) return { damage: 'the file ends inside a frame' };
  const payload = await readExactly(file, start, length);
  if (crc32(payload) !== header.readUInt32BE(8)) return { damage: 'frame checksum' };
  const isMarked = header.readUInt32BE(0) === magics.marked;
  return { records: decodeRecords(payload, start), header, isMarked, end: start + length };
};

const isMagic = (header: Buffer): boolean => Object.values<number>(magics).includes(header.readUInt32BE(0));

/** Whether 16 bytes are a frame's header, as it was written. */
const isSoundHeader = (header: Buffer): boolean =>
  isMagic(header) && crc32(header.subarray(0, 12)) === header.readUInt32BE(12);

/** The payload bytes that a sound header announces. */
const payloadBytesOf = (header: Buffer): number => header.readUInt32BE(4);

/** A running checksum of a file's frames: their headers, each of which holds the checksum of its payload. */
export const addToChecksum = (checksum: number, { header }: { readonly header: Buffer }): number =>
  crc32(header, checksum);

const decodeRecords = (payload: Buffer, start: number): FoundRecord[] => {
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
};

/** `length` bytes at `offset`; rejects when the file is shorter. */
export const readExactly = async (file: FileHandle, offset: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, offset + read);
    if (bytesRead === 0) throw new Error(`The file ends at ${offset + read}, before ${offset + length}`);
    read += bytesRead;
  }
  return buffer;
};

const scanBytes = 1024 * 1024;
/** No disk writes less at a time: what a crash of the machine leaves out begins at a multiple of it. */
const sectorBytes = 512;

/**
 * Whether the bytes from `offset`, which are no frame, are all that a crash left of one that was being written: the
 * beginning of it (the process ended), or zeros from a disk sector on (the machine did). Anything else was whole once,
 * and may have been acknowledged. No frame that was written ends in a sector of zeros: a record's last bytes are text.
 */
export const isTorn = async (file: FileHandle, offset: number, size: number): Promise<boolean> => {
  const zeros = await zerosFrom(file, offset, size);
  // A file of nothing but zeros may have held any number of frames.
  if (zeros === 0) return false;
  if (zeros === offset || Math.ceil(zeros / sectorBytes) * sectorBytes < size) return true;
  const header = await readExactly(file, offset, Math.min(headerBytes, size - offset));
  if (header.length < headerBytes) return beginsLikeOne(header);
  return isSoundHeader(header) && payloadBytesOf(header) > size - offset - headerBytes;
};

const beginsLikeOne = (part: Buffer): boolean =>
  Object.values(magics).some(magic => {
    const whole = Buffer.alloc(4);
    whole.writeUInt32BE(magic);
    return whole.subarray(0, part.length).equals(part.subarray(0, 4));
  });

/** Where the zeros at the end of the file begin, `offset` at the earliest. */
const zerosFrom = async (file: FileHandle, offset: number, size: number): Promise<number> => {
  for (let end = size; end > offset; ) {
    const from = Math.max(offset, end - scanBytes);
    const chunk = await readExactly(file, from, end - from);
    const last = chunk.findLastIndex(byte => byte !== 0);
    if (last >= 0) return from + last + 1;
    end = from;
  }
  return offset;
};

/** Where a record's body stands on disk. Compaction moves bodies: the journal rewrites `file` and `offset`. */
export interface StoredBody {
  /** The record's number in append order since the start; 0 for what recovery found. */
  readonly position: number;
  readonly length: number;
  file: string;
  offset: number;
}

/** A record of a snapshot: what `append` would have been given, with a body that is already stored. */
export interface SnapshotRecord {
  readonly meta: object;
  readonly body?: StoredBody;
}

/** Takes up a recovered record, in the order of appending. */
export type ApplyRecord = (meta: unknown, body: StoredBody) => void;
