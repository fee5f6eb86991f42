import { type FileHandle, mkdir, open, readdir, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readExactly } from './frame.ts';

export const journalName = (number: number) => `${String(number).padStart(8, '0')}.journal`;
export const snapshotName = (number: number) => `${String(number).padStart(8, '0')}.snapshot`;

/** Whether a file in the folder belongs to the journal. */
export const isJournalFile = (name: string) => /^\d{8}\.(journal|snapshot|snapshot\.tmp)$/.test(name);

/** Writes all of `data` at `offset`, or rejects. */
export const writeAll = async (
  file: FileHandle,
  data: { readonly chunks: readonly Buffer[]; readonly bytes: number },
  offset: number,
): Promise<void> => {
  const { bytesWritten } = await file.writev([...data.chunks], offset);
  if (bytesWritten !== data.bytes)
    throw new Error(`only ${bytesWritten} of ${data.bytes} bytes were written`);
};

/** The open files of one journal folder. Names are file names in it. */
export class JournalFiles {
  readonly #folder: string;
  readonly #open = new Map<string, FileHandle>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  async list(): Promise<readonly string[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return (await readdir(this.#folder)).sort();
  }

  /** `wx+` creates (and fails when it exists), `r+` opens. */
  async open(name: string, flags: 'r+' | 'wx+'): Promise<FileHandle> {
    const handle = await open(this.path(name), flags, 0o600);
    this.#open.set(name, handle);
    return handle;
  }

  handle(name: string): FileHandle {
    const handle = this.#open.get(name);
    if (handle === undefined) throw new Error(`${this.path(name)} is not open`);
    return handle;
  }

  /** What to say of a file that is not as it was written. */
  damaged(name: string, reason: string, byte?: number): Error {
    const where = byte === undefined ? '' : ` at byte ${byte}`;
    const advice = 'restore the folder from a copy, or start with an empty one';
    return new Error(`${this.path(name)} is damaged${where} (${reason}): ${advice}`);
  }

  missing(name: string): Error {
    return new Error(`${this.path(name)} is missing: restore it, or start with an empty folder`);
  }

  /** Durably saves bytes that are no longer needed to `<name>.damaged`, without replacing earlier ones. Returns its path. */
  async keep(name: string, bytes: Buffer): Promise<string> {
    const taken = new Set(await this.list());
    let kept = `${name}.damaged`;
    for (let copy = 2; taken.has(kept); copy += 1) kept = `${name}.${copy}.damaged`;
    await writeFile(this.path(kept), bytes, { flag: 'wx', mode: 0o600, flush: true });
    await this.sync();
    return this.path(kept);
  }

  /** Deletes a file of the folder that is not open, if it exists. */
  async discard(name: string): Promise<void> {
    await rm(this.path(name), { force: true });
  }

  /** Renames an open file, durably. */
  async rename(from: string, to: string): Promise<void> {
    const handle = this.handle(from);
    await rename(this.path(from), this.path(to));
    await this.sync();
    this.#open.delete(from);
    this.#open.set(to, handle);
  }

  /** Closes and deletes a file; pending reads finish first. */
  async remove(name: string): Promise<void> {
    const handle = this.#open.get(name);
    this.#open.delete(name);
    await unlink(this.path(name));
    await handle?.close();
  }

  /** Makes creations, renames and deletions in the folder durable. */
  async sync(): Promise<void> {
    // Windows cannot open a folder; NTFS journals directory changes itself.
    if (process.platform === 'win32') return;
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(handle => handle.close()));
    this.#open.clear();
  }
}

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
const encodeMark = ({ number, bytes, checksum }: Mark): Buffer => {
  const mark = Buffer.alloc(markBytes);
  mark.writeUInt32BE(magic, 0);
  mark.writeUInt32BE(number, 4);
  mark.writeBigUInt64BE(BigInt(bytes), 8);
  mark.writeUInt32BE(checksum, 16);
  mark.writeUInt32BE(crc32(mark.subarray(0, 20)), 20);
  return mark;
};

/** The folder's mark; undefined when there is none. Rejects with an Error that names it when it is damaged. */
export const readMark = async (files: JournalFiles): Promise<Mark | undefined> => {
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
};

/** Puts a mark into a folder that has none, durably: after a crash it is there as a whole or not at all. */
export const createMark = async (files: JournalFiles, mark: Mark): Promise<void> => {
  const draft = `${markName}.tmp`;
  await files.discard(draft);
  const file = await files.open(draft, 'wx+');
  await moveMark(files, mark, draft);
  await file.sync();
  await files.rename(draft, markName);
};

/** Moves the mark; `syncMark` makes that durable. */
export const moveMark = async (files: JournalFiles, mark: Mark, name = markName): Promise<void> => {
  await writeAll(files.handle(name), { chunks: [encodeMark(mark)], bytes: markBytes }, 0);
};

export const syncMark = async (files: JournalFiles): Promise<void> => {
  await files.handle(markName).datasync();
};
