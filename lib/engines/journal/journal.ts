import { type EngineClock, errorMessage } from '../machine.ts';
import { JournalFiles } from './files.ts';
import { type ApplyRecord, readExactly, type SnapshotRecord, type StoredBody } from './frame.ts';
import { type Recovered, recover } from './recover.ts';
import { type Batch, JournalWriter, newBatch } from './writer.ts';

interface JournalOptions {
  readonly folder: string;
  readonly clock: EngineClock;
  /** Applies each record found in the folder. */
  readonly apply: ApplyRecord;
  /** The whole state, as records; it must not change with later changes of the state. */
  readonly snapshot: () => readonly SnapshotRecord[];
  /**
   * Told when a start moved an unfinished end away, and when a compaction failed: the journal continues, and tries again
   * later.
   */
  readonly onFault: (fault: unknown) => void;
  /** Bytes of journal under which no compaction starts. */
  readonly compactionBytes?: number;
}

/** How long a record that no caller waits for may stay unwritten. */
const lazyMilliseconds = 50;
const defaultCompactionBytes = 64 * 1024 * 1024;

/** Recovers the state in the folder, then opens its journal for appending. */
export const openJournal = async (options: JournalOptions): Promise<Journal> => {
  const files = new JournalFiles(options.folder);
  try {
    return new Journal(
      options,
      files,
      await recover(files, { apply: options.apply, onCut: options.onFault }),
    );
  } catch (fault) {
    await files.close();
    throw fault;
  }
};

/**
 * An append-only journal. Records of concurrent callers share one write and one fsync. After a failed write, it
 * accepts nothing more: the content of the disk is then unknown until a restart reads it.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #files: JournalFiles;
  readonly #writer: JournalWriter;
  #appended = 0;
  #saved = 0;
  #pending = newBatch();
  #writing: Batch | undefined;
  #flushing: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #cancelLazy: (() => void) | undefined;
  #failure: Error | undefined;

  constructor(options: JournalOptions, files: JournalFiles, recovered: Recovered) {
    this.#options = options;
    this.#files = files;
    this.#writer = new JournalWriter(files, recovered);
  }

  /** Accepts a record; it is safe once `saved` resolves for it. Records are saved in this order. */
  append(meta: object, body: Buffer = Buffer.alloc(0)): StoredBody {
    const stored = this.#take(meta, body);
    this.#flushSoon();
    return stored;
  }

  /** Like `append`, for a record whose loss costs little: it waits up to 50 ms to share a write with others. */
  appendLazily(meta: object): void {
    this.#take(meta, Buffer.alloc(0));
    this.#cancelLazy ??= this.#options.clock.after(lazyMilliseconds, () => this.#flushSoon());
  }

  /** Resolves when the record with `position`, by default the last one, is on disk. */
  async saved(position = this.#appended): Promise<void> {
    if (position <= this.#saved) return;
    if (this.#failure) throw this.#failure;
    const inFlight = this.#writing?.records.at(-1)?.stored.position ?? 0;
    if (position > inFlight) this.#flushSoon();
    await (position <= inFlight ? this.#writing : this.#pending)?.done;
    return this.saved(position);
  }

  /** The body of a record, once it is on disk. */
  async read(stored: StoredBody): Promise<Buffer> {
    await this.saved(stored.position);
    return readExactly(this.#files.handle(stored.file), stored.offset, stored.length);
  }

  /** Saves what was appended, abandons any compaction in progress and closes the files. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.saved().catch(() => undefined);
    this.#cancelLazy?.();
    await this.#flushing;
    await this.#compacting;
    if (!this.#failure) await this.#writer.sync();
    this.#failure ??= new Error('The journal is closed');
    await this.#files.close();
  }

  #take(meta: object, body: Buffer): StoredBody {
    if (this.#failure) throw this.#failure;
    this.#appended += 1;
    const stored = { position: this.#appended, file: '', offset: 0, length: body.length };
    this.#pending.records.push({ meta: Buffer.from(JSON.stringify(meta)), body, stored });
    return stored;
  }

  #flushSoon(): void {
    if (this.#pending.records.length === 0) return;
    this.#flushing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    // A later phase of this turn of the event loop: requests that arrived together share the write.
    await new Promise(resolve => setImmediate(resolve));
    while (this.#pending.records.length > 0 && !this.#failure) {
      this.#cancelLazy?.();
      this.#cancelLazy = undefined;
      const batch = this.#pending;
      this.#pending = newBatch();
      this.#writing = batch;
      try {
        // The state as of this batch: later records go to the next journal.
        const snapshot = this.#isOvergrown() ? this.#options.snapshot() : undefined;
        await this.#writer.write(batch.records);
        this.#saved = batch.records.at(-1)?.stored.position ?? this.#saved;
        batch.settle();
        if (snapshot) await this.#compact(snapshot);
      } catch (fault) {
        this.#fail(fault);
      }
    }
    // In the same step as the last check for pending records: a record appended later starts another flush.
    this.#flushing = undefined;
  }

  #isOvergrown(): boolean {
    if (this.#compacting || this.#closing.signal.aborted) return false;
    return this.#writer.isOvergrown(this.#options.compactionBytes ?? defaultCompactionBytes);
  }

  /** Continues in a new journal, and replaces all older files with a snapshot in the background. */
  async #compact(records: readonly SnapshotRecord[]): Promise<void> {
    await this.#writer.rotate();
    const { signal } = this.#closing;
    this.#compacting = this.#writer
      .replaceOlder({ records, signal })
      .catch((fault: unknown) => {
        if (!signal.aborted) this.#options.onFault(fault);
      })
      .finally(() => {
        this.#compacting = undefined;
      });
  }

  #fail(fault: unknown): void {
    const failure = new Error(
      `${this.#writer.path} could not be written (${errorMessage(fault)}). The engine accepts nothing more: fix the cause, then start again`,
      { cause: fault },
    );
    this.#failure = failure;
    this.#writing?.settle(failure);
    this.#pending.settle(failure);
  }
}
