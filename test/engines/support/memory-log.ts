import type { StoredBody } from '../../../lib/engines/journal/frame.ts';
import type { ChangeLog } from '../../../lib/engines/sqs/state.ts';

export interface MemoryRecord {
  /** As it would be written. */
  readonly json: string;
  readonly stored: StoredBody;
}

const none = Buffer.alloc(0);

/** A journal without a disk. */
export class MemoryLog implements ChangeLog {
  readonly records: MemoryRecord[] = [];
  readonly #bodies = new Map<string, Buffer>();

  append(meta: object, body: Buffer = none): StoredBody {
    const file = `record-${this.records.length}`;
    const stored = { position: this.records.length, file, offset: 0, length: body.length };
    this.records.push({ json: JSON.stringify(meta), stored });
    this.#bodies.set(file, body);
    return stored;
  }

  appendLazily(meta: object): void {
    this.append(meta);
  }

  saved(): Promise<void> {
    return Promise.resolve();
  }

  read(stored: StoredBody): Promise<Buffer> {
    return Promise.resolve(this.bodyOf(stored));
  }

  bodyOf({ file }: StoredBody): Buffer {
    return this.#bodies.get(file) ?? none;
  }
}
