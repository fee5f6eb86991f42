import { errorMessage } from '../machine.ts';
import {
  createMark,
  isJournalFile,
  type JournalFiles,
  journalName,
  type Mark,
  markName,
  moveMark,
  readMark,
  snapshotName,
  syncMark,
} from './files.ts';
import {
  type ApplyRecord,
  addToChecksum,
  type Damage,
  type FoundRecord,
  type Frame,
  isTorn,
  readExactly,
  readFrame,
} from './frame.ts';

interface FileToReplay {
  readonly name: string;
  readonly apply: ApplyRecord;
  /** Whether it is still written to: every other file must have been finished. */
  readonly isNewest: boolean;
  /** How far it must be whole. */
  readonly mark?: Mark | undefined;
  /** Told of an unfinished end that was moved away. */
  readonly onCut: (notice: Error) => void;
}

interface Replayed {
  readonly bytes: number;
  /** Of all its frames. */
  readonly checksum: number;
  readonly isSealed: boolean;
  /** Whether a version wrote into it that kept a mark, and one that did not. */
  readonly isMarked: boolean;
  readonly isUnmarked: boolean;
}

const empty: Replayed = { bytes: 0, checksum: 0, isSealed: false, isMarked: false, isUnmarked: false };

/**
 * Hands the records of one file to `apply`. An unfinished end of the newest journal, behind the mark, is moved to a
 * `.damaged` file. Any other damage rejects with an Error that names the file and the offset.
 */
const replayFile = async (files: JournalFiles, wanted: FileToReplay): Promise<Replayed> => {
  const { name, isNewest, mark } = wanted;
  const file = await files.open(name, 'r+');
  const { size } = await file.stat();
  if (mark && size < mark.bytes)
    throw files.damaged(name, `it ends here, and was ${mark.bytes} bytes long`, size);
  let state = empty;
  while (state.bytes < size) {
    const frame = await readFrame(file, state.bytes, size);
    if ('damage' in frame) {
      state = {
        ...state,
        bytes: await withoutTornEnd(files, wanted, { ...frame, offset: state.bytes, size }),
      };
      break;
    }
    for (const record of frame.records) applyFrom(files.path(name), wanted.apply, { ...record, name });
    const next = after(state, frame);
    checkMark(files, wanted, { before: state.bytes, next });
    state = next;
  }
  if (!isNewest) checkFinished(files, name, state);
  return state;
};

const after = (before: Replayed, frame: Frame): Replayed => ({
  bytes: frame.end,
  checksum: addToChecksum(before.checksum, frame),
  isSealed: frame.isMarked && frame.records.length === 0,
  isMarked: before.isMarked || frame.isMarked,
  isUnmarked: before.isUnmarked || !frame.isMarked,
});

interface Step {
  readonly before: number;
  readonly next: Replayed;
}

/** The bytes before the mark must be the same as when the mark was made. */
const checkMark = (files: JournalFiles, { name, mark }: FileToReplay, { before, next }: Step): void => {
  if (!mark || before >= mark.bytes || next.bytes < mark.bytes) return;
  if (next.bytes === mark.bytes && next.checksum === mark.checksum) return;
  throw files.damaged(name, 'its frames are not those that were written', 0);
};

/** Versions that kept no mark did not seal their files either. */
const checkFinished = (files: JournalFiles, name: string, { bytes, isSealed, isMarked }: Replayed): void => {
  if (bytes === 0) throw files.damaged(name, 'it is empty', 0);
  if (isMarked && !isSealed) throw files.damaged(name, 'its end is missing', bytes);
};

const applyFrom = (
  path: string,
  apply: ApplyRecord,
  found: FoundRecord & { readonly name: string },
): void => {
  const { meta, bodyOffset: offset, bodyLength: length, name } = found;
  try {
    apply(meta, { position: 0, file: name, offset, length });
  } catch (cause) {
    throw new Error(
      `${path} holds a record near byte ${offset} that this engine did not write: ${errorMessage(cause)}`,
      { cause },
    );
  }
};

interface BadFrame extends Damage {
  readonly offset: number;
  readonly size: number;
}

/** Moves the torn end of the newest journal to a separate file; returns the number of bytes that are left. */
const withoutTornEnd = async (files: JournalFiles, wanted: FileToReplay, bad: BadFrame): Promise<number> => {
  const { name, isNewest, mark, onCut } = wanted;
  const { offset, size } = bad;
  const file = files.handle(name);
  const mayBeTorn = isNewest && offset >= (mark?.bytes ?? 0);
  if (!mayBeTorn || !(await isTorn(file, offset, size))) throw files.damaged(name, bad.damage, offset);
  const kept = await files.keep(`${name}.${offset}`, await readExactly(file, offset, size - offset));
  await file.truncate(offset);
  await file.sync();
  const known = mark
    ? 'which was never acknowledged'
    : 'of an earlier version, which kept no note of what it had acknowledged';
  onCut(
    new Error(
      `${files.path(name)} ended in ${size - offset} bytes of an unfinished write, ${known}: they are now in ${kept}`,
    ),
  );
  return offset;
};

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
export const recover = async (files: JournalFiles, edges: Edges): Promise<Recovered> => {
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
};

const sort = (names: readonly string[]) => {
  const ours = names.filter(isJournalFile);
  const numbers = (ending: string) => ours.filter(name => name.endsWith(ending)).map(parseFloat);
  const snapshot = Math.max(0, ...numbers('.snapshot'));
  const journals = numbers('.journal').filter(number => number >= snapshot);
  const kept = new Set([snapshotName(snapshot), ...journals.map(journalName)]);
  const obsolete = ours.filter(name => !kept.has(name));
  return { snapshot, journals, obsolete };
};

interface Found {
  readonly snapshot: number;
  readonly journals: readonly number[];
  readonly mark: Mark | undefined;
}

const checkComplete = (files: JournalFiles, { snapshot, journals, mark }: Found): void => {
  const first = Math.max(1, snapshot);
  const gap = journals.find((number, index) => number !== first + index);
  if (gap !== undefined) throw files.missing(journalName(gap - 1));
  const last = journals.at(-1) ?? 0;
  const min = Math.max(snapshot, mark?.number ?? 0);
  if (last < min) throw files.missing(journalName(Math.max(first, last + 1)));
};

interface Newest {
  readonly journals: readonly number[];
  readonly newest: Replayed | undefined;
  readonly snapshotBytes: number;
  readonly journalBytes: number;
}

/** The journal to continue in: a new one if the newest is finished, or was begun by a version that kept no mark. */
const openNewest = async (files: JournalFiles, found: Newest): Promise<Recovered> => {
  const { newest, snapshotBytes, journalBytes } = found;
  const number = found.journals.at(-1);
  if (number !== undefined && newest && !newest.isSealed && !newest.isUnmarked)
    return { number, bytes: newest.bytes, checksum: newest.checksum, snapshotBytes, journalBytes };
  const next = (number ?? 0) + 1;
  await files.open(journalName(next), 'wx+');
  await files.sync();
  return { number: next, bytes: 0, checksum: 0, snapshotBytes, journalBytes };
};
