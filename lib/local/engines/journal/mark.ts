import { crc32 } from 'node:zlib';
import { readExactly } from './frame.ts';
import { type JournalFiles, writeAll } from './journal-files.ts';

/*
 * The mark says how far the newest journal is safe on disk. It moves after each frame, before anybody is told: what
 * the mark covers must be there, whole, at the next start, and only what lies behind it may be unfinished. It is
 * written over in place, and waits for the disk only at a new journal and at a close: after the end of the process the
 * system still has it, and after the end of the machine an older mark still says less than is true.
 */

export const markName = 'journal.mark';
const magic = 0x53424d31;
const markBytes = 24;

export interface Mark {
  /** The journal's number. */
  readonly number: number;
  readonly bytes: number;
  /** Of the frames in these bytes. */
  readonly checksum: number;
}

/** Less than a disk sector: it is written as a whole or not at all. */
function encodeMark({ number, bytes, checksum }: Mark): Buffer {
  const mark = Buffer.alloc(markBytes);
  mark.writeUInt32BE(magic, 0);
  mark.writeUInt32BE(number, 4);
  mark.writeBigUInt64BE(BigInt(bytes), 8);
  mark.writeUInt32BE(checksum, 16);
  mark.writeUInt32BE(crc32(mark.subarray(0, 20)), 20);
  return mark;
}

/** The folder's mark; undefined when there is none. Rejects with an Error that names it when it is damaged. */
export async function readMark(files: JournalFiles): Promise<Mark | undefined> {
  if (!(await files.list()).includes(markName)) return undefined;
  const file = await files.open(markName, 'r+');
  const { size } = await file.stat();
  const mark = await readExactly(file, 0, Math.min(size, markBytes));
  if (
    size !== markBytes ||
    mark.readUInt32BE(0) !== magic ||
    crc32(mark.subarray(0, 20)) !== mark.readUInt32BE(20)
  )
    throw files.damaged(markName, 'it is not as it was written');
  return {
    number: mark.readUInt32BE(4),
    bytes: Number(mark.readBigUInt64BE(8)),
    checksum: mark.readUInt32BE(16),
  };
}

/** Puts a mark into a folder that has none, durably: after a crash it is there as a whole or not at all. */
export async function createMark(files: JournalFiles, mark: Mark): Promise<void> {
  const draft = `${markName}.tmp`;
  await files.discard(draft);
  const file = await files.open(draft, 'wx+');
  await moveMark(files, mark, draft);
  await file.sync();
  await files.rename(draft, markName);
}

/** Moves the mark; `syncMark` makes that durable. */
export async function moveMark(files: JournalFiles, mark: Mark, name = markName): Promise<void> {
  await writeAll(files.handle(name), { chunks: [encodeMark(mark)], bytes: markBytes }, 0);
}

export async function syncMark(files: JournalFiles): Promise<void> {
  await files.handle(markName).datasync();
}
