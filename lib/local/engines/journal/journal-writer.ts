import { intoFrames, type PendingRecord } from './batch.ts';
import { addToChecksum, encodeFrame } from './frame.ts';
import { isJournalFile, type JournalFiles, journalName, writeAll } from './journal-files.ts';
import { moveMark, syncMark } from './mark.ts';
import type { Recovered } from './recover.ts';
import { type Snapshot, writeSnapshot } from './write-snapshot.ts';

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
  isOvergrown(least: number): boolean {
    const { journalBytes, snapshotBytes } = this.#current;
    return journalBytes > Math.max(least, snapshotBytes);
  }

  /** Seals the journal and goes on in a new one. */
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
