import { type FoundRecord, isTorn, readExactly, readFrame } from './frame.ts';
import { isJournalFile, type JournalFiles, journalName, snapshotName } from './journal-files.ts';
import type { ApplyRecord } from './stored-record.ts';

export interface Recovered {
  /** The journal to append to, and its length. */
  readonly number: number;
  readonly bytes: number;
  /** Bytes of the journals since the snapshot, and of the snapshot. */
  readonly journalBytes: number;
  readonly snapshotBytes: number;
}

/**
 * Hands every record of the folder to `apply`: the newest snapshot, then the journals after it. A torn end of the
 * newest journal is moved to a `.damaged` file: it was never acknowledged. Any other damage rejects with an Error that names the file
 * and the offset.
 */
export async function recover(files: JournalFiles, apply: ApplyRecord): Promise<Recovered> {
  const { snapshot, journals, obsolete } = sort(await files.list());
  const snapshotBytes = snapshot === 0 ? 0 : await replay(files, snapshotName(snapshot), { apply });
  checkComplete(files, snapshot, journals);
  let journalBytes = 0;
  let bytes = 0;
  for (const number of journals) {
    bytes = await replay(files, journalName(number), { apply, mayBeTorn: number === journals.at(-1) });
    journalBytes += bytes;
  }
  // Only now: until their successors proved sound, they may be all there is.
  for (const name of obsolete) await files.remove(name);
  const newest = journals.at(-1);
  if (newest !== undefined) return { number: newest, bytes, journalBytes, snapshotBytes };
  await files.open(journalName(1), 'wx+');
  await files.sync();
  return { number: 1, bytes: 0, journalBytes: 0, snapshotBytes: 0 };
}

function sort(names: readonly string[]) {
  const ours = names.filter(isJournalFile);
  const numbers = (ending: string) => ours.filter(name => name.endsWith(ending)).map(parseFloat);
  const snapshot = Math.max(0, ...numbers('.snapshot'));
  const journals = numbers('.journal').filter(number => number >= snapshot);
  const kept = new Set([snapshotName(snapshot), ...journals.map(journalName)]);
  const obsolete = ours.filter(name => !kept.has(name));
  return { snapshot, journals, obsolete };
}

function checkComplete(files: JournalFiles, snapshot: number, journals: readonly number[]): void {
  const first = Math.max(1, snapshot);
  const missing = journals.find((number, index) => number !== first + index);
  if (missing === undefined && (journals.length > 0 || snapshot === 0)) return;
  const name = journalName(missing === undefined ? first : missing - 1);
  throw new Error(`${files.path(name)} is missing: restore it, or start with an empty folder`);
}

interface Replay {
  readonly apply: ApplyRecord;
  readonly mayBeTorn?: boolean;
}

async function replay(
  files: JournalFiles,
  name: string,
  { apply, mayBeTorn = false }: Replay,
): Promise<number> {
  const file = await files.open(name, 'r+');
  const { size } = await file.stat();
  let offset = 0;
  while (offset < size) {
    const frame = await readFrame(file, offset, size);
    if ('damage' in frame) {
      if (mayBeTorn && (await isTorn(file, offset, size))) return await cut(files, name, { offset, size });
      const advice = 'restore the folder from a copy, or start with an empty one';
      throw new Error(`${files.path(name)} is damaged at byte ${offset} (${frame.damage}): ${advice}`);
    }
    for (const record of frame.records) applyFrom(files.path(name), apply, { ...record, name });
    offset = frame.end;
  }
  return size;
}

function applyFrom(path: string, apply: ApplyRecord, found: FoundRecord & { readonly name: string }): void {
  const { meta, bodyOffset: offset, bodyLength: length, name } = found;
  try {
    apply(meta, { position: 0, file: name, offset, length });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${path} holds a record near byte ${offset} that is none of ours: ${reason}`, { cause });
  }
}

/** Moves the torn end of a journal to a file of its own. */
async function cut(files: JournalFiles, name: string, { offset, size }: Range): Promise<number> {
  const file = files.handle(name);
  await files.keep(`${name}.${offset}`, await readExactly(file, offset, size - offset));
  await file.truncate(offset);
  await file.sync();
  return offset;
}

interface Range {
  readonly offset: number;
  readonly size: number;
}
