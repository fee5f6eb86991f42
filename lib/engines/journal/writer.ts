import {
  isJournalFile,
  type JournalFiles,
  journalName,
  moveMark,
  snapshotName,
  syncMark,
  writeAll,
} from './files.ts';
import {
  addToChecksum,
  encodeFrame,
  type FrameRecord,
  frameBytes,
  readExactly,
  recordBytes,
  type SnapshotRecord,
  type StoredBody,
} from './frame.ts';
import type { Recovered } from './recover.ts';

interface PendingRecord extends FrameRecord {
  readonly stored: StoredBody;
}

/** Records that are written together, and the promise their appenders wait for. */
export interface Batch {
  readonly records: PendingRecord[];
  readonly done: Promise<void>;
  readonly settle: (failure?: Error) => void;
}

export const newBatch = (): Batch => {
  let settle: Batch['settle'] = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = failure => (failure ? reject(failure) : resolve());
  });
  // There may be no caller waiting for a batch of lazy records.
  done.catch(() => undefined);
  return { records: [], done, settle };
};

/** Cuts records into frames of a bounded size; a single larger record gets its own frame. */
function* intoFrames(records: readonly PendingRecord[]): Generator<readonly PendingRecord[]> {
  let part: PendingRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const more = recordBytes(record);
    if (part.length > 0 && bytes + more > frameBytes) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(record);
    bytes += more;
  }
  yield part;
}

const none = Buffer.alloc(0);
/** A snapshot's frames are small, so that reading and writing them leaves the event loop free. */
const chunkBytes = frameBytes / 16;

interface Snapshot {
  readonly records: readonly SnapshotRecord[];
  /** Makes the writing reject, and leave the former state. */
  readonly signal: AbortSignal;
}

/**
 * Writes records with their bodies as snapshot `number`, durably; a crash leaves the former state. When it is there,
 * the bodies' places are moved to it. Answers with its length.
 */
const writeSnapshot = async (
  files: JournalFiles,
  number: number,
  { records, signal }: Snapshot,
): Promise<number> => {
  const name = snapshotName(number);
  const temporary = `${name}.tmp`;
  const file = await files.open(temporary, 'wx+');
  const moved: [StoredBody, number][] = [];
  let bytes = 0;
  try {
    for (let next = 0; next < records.length; ) {
      signal.throwIfAborted();
      const chunk = await gather(files, records, next);
      const frame = encodeFrame(chunk, bytes);
      await writeAll(file, frame, bytes);
      for (const [index, offset] of frame.bodyOffsets.entries()) {
        const body = records[next + index]?.body;
        if (body !== undefined) moved.push([body, offset]);
      }
      bytes += frame.bytes;
      next += chunk.length;
    }
    const seal = encodeFrame([], bytes);
    await writeAll(file, seal, bytes);
    bytes += seal.bytes;
    await file.sync();
    await files.rename(temporary, name);
  } catch (fault) {
    await files.remove(temporary).catch(() => undefined);
    throw fault;
  }
  for (const [body, offset] of moved) Object.assign(body, { file: name, offset });
  return bytes;
};

const gather = async (files: JournalFiles, records: readonly SnapshotRecord[], from: number) => {
  const chunk = [];
  let bytes = 0;
  for (let index = from; index < records.length && bytes < chunkBytes; index += 1) {
    const record = records[index];
    if (record === undefined) break;
    const meta = Buffer.from(JSON.stringify(record.meta));
    const { body: stored } = record;
    const body = stored ? await readExactly(files.handle(stored.file), stored.offset, stored.length) : none;
    chunk.push({ meta, body });
    bytes += meta.length + body.length;
  }
  return chunk;
};

/** The files behind a journal: which one is written to, how far, and what stands in for the older ones. */
export class JournalWriter {
  readonly #files: JournalFiles;
  #current: Recovered;

  constructor(files: JournalFiles, recovered: Recovered) {
    this.#files = files;
    this.#current = recovered;
  }

  /** The file that is written to. */
  get path(): string {
    return this.#files.path(journalName(this.#current.number));
  }

  /** Writes records and waits for the disk; each one's `stored` then says where its body is. */
  async write(records: readonly PendingRecord[]): Promise<void> {
    const name = journalName(this.#current.number);
    const file = this.#files.handle(name);
    for (const part of intoFrames(records)) {
      const frame = encodeFrame(part, this.#current.bytes);
      await writeAll(file, frame, this.#current.bytes);
      await file.datasync();
      for (const [index, offset] of frame.bodyOffsets.entries()) {
        Object.assign(part[index]?.stored ?? {}, { file: name, offset });
      }
      const { bytes, journalBytes, checksum } = this.#current;
      const grown = { bytes: bytes + frame.bytes, journalBytes: journalBytes + frame.bytes };
      this.#current = { ...this.#current, ...grown, checksum: addToChecksum(checksum, frame) };
      await moveMark(this.#files, this.#current);
    }
  }

  /** Makes what the mark says of the journal's length durable. */
  async sync(): Promise<void> {
    await syncMark(this.#files);
  }

  /** Whether the journals have outgrown `least` bytes and the snapshot: then a new snapshot at most doubles writing. */
  isOvergrown(min: number): boolean {
    const { journalBytes, snapshotBytes } = this.#current;
    return journalBytes > Math.max(min, snapshotBytes);
  }

  /** Seals the journal and continues in a new one. */
  async rotate(): Promise<void> {
    await this.write([]);
    const number = this.#current.number + 1;
    await this.#files.open(journalName(number), 'wx+');
    await this.#files.sync();
    this.#current = { ...this.#current, number, bytes: 0, checksum: 0, journalBytes: 0 };
    await moveMark(this.#files, this.#current);
    await this.sync();
  }

  /** Replaces all files before the current one by a snapshot of the state at the last `rotate`. */
  async replaceOlder(snapshot: Snapshot): Promise<void> {
    const { number } = this.#current;
    const names = await this.#files.list();
    const older = names.filter(name => isJournalFile(name) && name < journalName(number));
    const snapshotBytes = await writeSnapshot(this.#files, number, snapshot);
    this.#current = { ...this.#current, snapshotBytes };
    for (const name of older) await this.#files.remove(name);
  }
}
