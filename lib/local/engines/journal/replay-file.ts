import { errorMessage } from '../error-message.ts';
import { addToChecksum, type Damage, type FoundRecord, type Frame, readExactly, readFrame } from './frame.ts';
import type { JournalFiles } from './journal-files.ts';
import type { Mark } from './mark.ts';
import type { ApplyRecord } from './stored-record.ts';
import { isTorn } from './torn-end.ts';

export interface FileToReplay {
  readonly name: string;
  readonly apply: ApplyRecord;
  /** Whether it is still written to: every other file must have been finished. */
  readonly isNewest: boolean;
  /** How far it must be whole. */
  readonly mark?: Mark | undefined;
  /** Told of an unfinished end that was moved away. */
  readonly onCut: (notice: Error) => void;
}

export interface Replayed {
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
export async function replayFile(files: JournalFiles, wanted: FileToReplay): Promise<Replayed> {
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
}

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

/** What stands before the mark must be what stood there when the mark was made. */
function checkMark(files: JournalFiles, { name, mark }: FileToReplay, { before, next }: Step): void {
  if (!mark || before >= mark.bytes || next.bytes < mark.bytes) return;
  if (next.bytes === mark.bytes && next.checksum === mark.checksum) return;
  throw files.damaged(name, 'its frames are not those that were written', 0);
}

/** Versions that kept no mark did not seal their files either. */
function checkFinished(files: JournalFiles, name: string, { bytes, isSealed, isMarked }: Replayed): void {
  if (bytes === 0) throw files.damaged(name, 'it is empty', 0);
  if (isMarked && !isSealed) throw files.damaged(name, 'its end is missing', bytes);
}

function applyFrom(path: string, apply: ApplyRecord, found: FoundRecord & { readonly name: string }): void {
  const { meta, bodyOffset: offset, bodyLength: length, name } = found;
  try {
    apply(meta, { position: 0, file: name, offset, length });
  } catch (cause) {
    throw new Error(
      `${path} holds a record near byte ${offset} that is none of ours: ${errorMessage(cause)}`,
      { cause },
    );
  }
}

interface BadFrame extends Damage {
  readonly offset: number;
  readonly size: number;
}

/** Moves the torn end of the newest journal to a file of its own; answers with the bytes that are left. */
async function withoutTornEnd(files: JournalFiles, wanted: FileToReplay, bad: BadFrame): Promise<number> {
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
}
