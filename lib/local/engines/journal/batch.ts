import { type FrameRecord, frameBytes, recordBytes } from './frame.ts';
import type { StoredBody } from './stored-record.ts';

export interface PendingRecord extends FrameRecord {
  readonly stored: StoredBody;
}

/** Records that are written together, and the promise their appenders wait for. */
export interface Batch {
  readonly records: PendingRecord[];
  readonly done: Promise<void>;
  readonly settle: (failure?: Error) => void;
}

export function newBatch(): Batch {
  let settle: Batch['settle'] = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = failure => (failure ? reject(failure) : resolve());
  });
  // Nobody may be waiting for a batch of lazy records.
  done.catch(() => undefined);
  return { records: [], done, settle };
}

/** Cuts records into frames of a bounded size; a single larger record has a frame of its own. */
export function* intoFrames(records: readonly PendingRecord[]): Generator<readonly PendingRecord[]> {
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
