import { isJournalFile, type JournalFiles, journalName, snapshotName } from './journal-files.ts';
import { createMark, type Mark, markName, moveMark, readMark, syncMark } from './mark.ts';
import { type FileToReplay, type Replayed, replayFile } from './replay-file.ts';

export interface Recovered {
  /** The journal to append to, its length, and the checksum of its frames. */
  readonly number: number;
  readonly bytes: number;
  readonly checksum: number;
  /** Bytes of the journals since the snapshot, and of the snapshot. */
  readonly journalBytes: number;
  readonly snapshotBytes: number;
}

type Edges = Pick<FileToReplay, 'apply' | 'onCut'>;

/**
 * Hands every record of the folder to `apply`: the newest snapshot, then the journals after it. An unfinished end of
 * the newest journal is moved to a `.damaged` file, and told: it was never acknowledged. Any other damage, and any
 * file or part of one that is missing, rejects with an Error that names the file.
 */
export async function recover(files: JournalFiles, edges: Edges): Promise<Recovered> {
  const { snapshot, journals, obsolete } = sort(await files.list());
  const mark = await readMark(files);
  checkComplete(files, { snapshot, journals, mark });
  const replayed: Replayed[] = [];
  const replay = async (name: string, rest: Pick<FileToReplay, 'isNewest' | 'mark'>) => {
    const found = await replayFile(files, { ...edges, name, ...rest });
    if (found.isMarked && !mark) throw files.missing(markName);
    replayed.push(found);
    return found;
  };
  const snapshotBytes =
    snapshot === 0 ? 0 : (await replay(snapshotName(snapshot), { isNewest: false })).bytes;
  for (const number of journals) {
    const isNewest = number === journals.at(-1);
    await replay(journalName(number), { isNewest, mark: number === mark?.number ? mark : undefined });
  }
  const all = replayed.reduce((sum, { bytes }) => sum + bytes, 0);
  const found = { journals, snapshotBytes, journalBytes: all - snapshotBytes, newest: replayed.at(-1) };
  const current = await openNewest(files, found);
  await (mark ? moveMark(files, current) : createMark(files, current));
  await syncMark(files);
  // Only now: until their successors proved sound, they may be all there is.
  for (const name of obsolete) await files.remove(name);
  return current;
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

interface Found {
  readonly snapshot: number;
  readonly journals: readonly number[];
  readonly mark: Mark | undefined;
}

function checkComplete(files: JournalFiles, { snapshot, journals, mark }: Found): void {
  const first = Math.max(1, snapshot);
  const gap = journals.find((number, index) => number !== first + index);
  if (gap !== undefined) throw files.missing(journalName(gap - 1));
  const last = journals.at(-1) ?? 0;
  const least = Math.max(snapshot, mark?.number ?? 0);
  if (last < least) throw files.missing(journalName(Math.max(first, last + 1)));
}

interface Newest {
  readonly journals: readonly number[];
  readonly newest: Replayed | undefined;
  readonly snapshotBytes: number;
  readonly journalBytes: number;
}

/** The journal to go on in: a new one where the newest is finished, or was begun by a version that kept no mark. */
async function openNewest(files: JournalFiles, found: Newest): Promise<Recovered> {
  const { newest, snapshotBytes, journalBytes } = found;
  const number = found.journals.at(-1);
  if (number !== undefined && newest && !newest.isSealed && !newest.isUnmarked)
    return { number, bytes: newest.bytes, checksum: newest.checksum, snapshotBytes, journalBytes };
  const next = (number ?? 0) + 1;
  await files.open(journalName(next), 'wx+');
  await files.sync();
  return { number: next, bytes: 0, checksum: 0, snapshotBytes, journalBytes };
}
