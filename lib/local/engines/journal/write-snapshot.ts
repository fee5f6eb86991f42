import { encodeFrame, frameBytes, readExactly } from './frame.ts';
import { type JournalFiles, snapshotName, writeAll } from './journal-files.ts';
import type { SnapshotRecord, StoredBody } from './stored-record.ts';

const none = Buffer.alloc(0);
/** A snapshot's frames are small, so that reading and writing them leaves the event loop free. */
const chunkBytes = frameBytes / 16;

export interface Snapshot {
  readonly records: readonly SnapshotRecord[];
  /** Makes the writing reject, and leave the former state. */
  readonly signal: AbortSignal;
}

/**
 * Writes records with their bodies as snapshot `number`, durably; a crash leaves the former state. When it is there,
 * the bodies' places are moved to it. Answers with its length.
 */
export async function writeSnapshot(
  files: JournalFiles,
  number: number,
  { records, signal }: Snapshot,
): Promise<number> {
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
  } catch (error) {
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
  for (const [body, offset] of moved) Object.assign(body, { file: name, offset });
  return bytes;
}

async function gather(files: JournalFiles, records: readonly SnapshotRecord[], from: number) {
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
}
