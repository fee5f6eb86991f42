import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { JournalFiles } from '../../../lib/engines/journal/files.ts';
import { eventually } from '../../support/eventually.ts';
import { first, journalBenches, mark } from '../support/journal-benches.ts';

const { newBench, copyOf } = journalBenches();

/** Three frames, and the mark as it was after each. */
async function threeFrames() {
  const bench = newBench();
  const journal = await bench.open();
  const ends: number[] = [];
  const marks: Buffer[] = [];
  for (const name of ['a', 'b', 'c']) {
    bench.put(journal, name, `body of ${name}`);
    await journal.saved();
    ends.push(statSync(join(bench.folder, first)).size);
    marks.push(readFileSync(join(bench.folder, mark)));
  }
  const copy = copyOf(bench);
  await journal.close();
  return { bench: copy, ends, marks };
}

/** The same, killed before anybody was told of the third. */
async function killedAtThird() {
  const frames = await threeFrames();
  writeFileSync(join(frames.bench.folder, mark), frames.marks[1] ?? '');
  return frames;
}

test('an unacknowledged frame may be torn anywhere: the others are recovered, and the journal continues', async () => {
  const { bench, ends } = await killedAtThird();
  const [, second = 0, size = 0] = ends;
  for (let length = second; length <= size; length += 1) {
    const torn = copyOf(bench);
    truncateSync(join(torn.folder, first), length);
    const journal = await torn.open();
    const whole = length === size ? ['a', 'b', 'c'] : ['a', 'b'];
    expect(torn.kept.map(({ name }) => name)).toEqual(whole);
    torn.put(journal, 'd', 'after');
    await journal.close();
    const again = await torn.open();
    expect(Object.keys(await torn.bodies(again))).toEqual([...whole, 'd']);
    await again.close();
  }
});

test('a journal that ends before its mark is refused, wherever it ends', async () => {
  const { bench, ends } = await threeFrames();
  const path = join(bench.folder, first);
  const original = readFileSync(path);
  for (let length = 0; length < (ends[2] ?? 0); length += 1) {
    writeFileSync(path, original.subarray(0, length));
    await expect(bench.open()).rejects.toThrow(
      `${path} is damaged at byte ${length} (it ends here, and was ${ends[2]} bytes long)`,
    );
  }
  expect(readdirSync(bench.folder)).toEqual([first, mark]);
});

test.each([100, 600])('a journal whose last %i bytes are zeros is refused after a kill', async zeros => {
  const { bench, start } = await longFrame();
  const path = join(bench.folder, first);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0, bytes.length - zeros));
  await expect(bench.open()).rejects.toThrow(`${path} is damaged at byte ${start} `);
});

test('a mark that is damaged or missing is refused by name', async () => {
  const { bench, marks } = await threeFrames();
  const path = join(bench.folder, mark);
  const [, , last = Buffer.alloc(0)] = marks;
  for (let bit = 0; bit < last.length * 8; bit += 1) {
    const damaged = Buffer.from(last);
    damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    writeFileSync(path, damaged);
    await expect(bench.open()).rejects.toThrow(`${path} is damaged`);
  }
  for (const bytes of [last.subarray(0, 23), '', Buffer.alloc(24)]) {
    writeFileSync(path, bytes);
    await expect(bench.open()).rejects.toThrow(`${path} is damaged`);
  }
  rmSync(path);
  await expect(bench.open()).rejects.toThrow(`${path} is missing`);
});

test('a different journal in place of this one is refused', async () => {
  const { bench } = await threeFrames();
  const path = join(bench.folder, first);
  for (const bodies of [
    ['aaaa', 'bbbb', 'cccc'],
    ['a body that is longer than the other journal as a whole '.repeat(3)],
  ]) {
    const other = newBench();
    const journal = await other.open();
    for (const body of bodies) {
      other.put(journal, 'a', body.padEnd(9));
      await journal.saved();
    }
    await journal.close();
    copyFileSync(join(other.folder, first), path);
    await expect(bench.open()).rejects.toThrow(`${path} is damaged at byte 0 (its frames are not those`);
  }
});

test('a bit flipped anywhere is refused with file and offset, and the file stays as it is', async () => {
  const { bench, ends } = await threeFrames();
  const path = join(bench.folder, first);
  const original = readFileSync(path);
  for (let bit = 0; bit < original.length * 8; bit += 5) {
    const damaged = Buffer.from(original);
    const byte = bit >> 3;
    damaged.writeUInt8(damaged.readUInt8(byte) ^ (1 << (bit & 7)), byte);
    writeFileSync(path, damaged);
    const frame = ends.findIndex(end => byte < end);
    const start = frame === 0 ? 0 : (ends[frame - 1] ?? 0);
    await expect(bench.open()).rejects.toThrow(`${path} is damaged at byte ${start} `);
    expect(readFileSync(path).equals(damaged)).toBe(true);
  }
});

test('each torn end is kept in a separate file and reported', async () => {
  const { bench, ends } = await killedAtThird();
  const [, second = 0, third = 0] = ends;
  const path = join(bench.folder, first);
  const original = readFileSync(path);
  for (const kept of [`${first}.${second}.damaged`, `${first}.${second}.2.damaged`]) {
    writeFileSync(path, original.subarray(0, third - 1));
    await (await bench.open()).close();
    expect(readFileSync(join(bench.folder, kept)).equals(original.subarray(second, third - 1))).toBe(true);
    expect(bench.faults.splice(0)).toEqual([
      new Error(
        `${path} ended in ${third - 1 - second} bytes of an unfinished write, which was never acknowledged: they are now in ${join(bench.folder, kept)}`,
      ),
    ]);
  }
});

/** A small frame, then one of several disk sectors, and the mark as it was between them. */
async function longFrame() {
  const bench = newBench();
  const journal = await bench.open();
  bench.put(journal, 'a', 'short');
  await journal.saved();
  const start = statSync(join(bench.folder, first)).size;
  const before = readFileSync(join(bench.folder, mark));
  bench.put(journal, 'b', 'long '.repeat(500));
  await journal.saved();
  const copy = copyOf(bench);
  await journal.close();
  return { bench: copy, start, before };
}

test.each([
  ['all of it', (start: number) => start],
  ['all but its first sector', () => 512],
  ['its last sector', (_start: number, size: number) => size - (size % 512)],
])('a last frame of which the machine wrote zeros, %s, is torn', async (_what, from) => {
  const { bench, start, before } = await longFrame();
  const path = join(bench.folder, first);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0, from(start, bytes.length)));
  writeFileSync(join(bench.folder, mark), before);
  const journal = await bench.open();
  expect(bench.kept.map(({ name }) => name)).toEqual(['a']);
  await journal.close();
});

test('zeros in the middle of a frame, or fewer than a sector at its end, are damage', async () => {
  const { bench, start, before } = await longFrame();
  writeFileSync(join(bench.folder, mark), before);
  const path = join(bench.folder, first);
  const original = readFileSync(path);
  const inLastSector = original.length - (original.length % 512) + 1;
  for (const [from, to] of [
    [1024, 1536],
    [inLastSector, original.length],
    [0, start],
    [0, original.length],
  ] as const) {
    writeFileSync(path, Buffer.from(original).fill(0, from, to));
    await expect(bench.open()).rejects.toThrow(`${path} is damaged at byte ${from === 0 ? 0 : start} `);
  }
});

test('after a proper close, a flipped bit in the last record is refused, too', async () => {
  const bench = newBench();
  const journal = await bench.open();
  bench.put(journal, 'a', 'body');
  await journal.close();
  const path = join(bench.folder, first);
  const damaged = readFileSync(path);
  damaged.writeUInt8(damaged.readUInt8(30) ^ 1, 30);
  writeFileSync(path, damaged);
  await expect(bench.open()).rejects.toThrow('is damaged at byte 0');
});

test('a record of another kind is refused with the file and the reason', async () => {
  const bench = newBench();
  const journal = await bench.open();
  journal.append({ other: 1 });
  await journal.close();
  await expect(bench.open()).rejects.toThrow(
    /00000001\.journal holds a record near byte \d+ that this engine did not write: no name/,
  );
});

/** A state of several megabytes in a snapshot of several frames. */
async function bigSnapshot() {
  const bench = newBench();
  const journal = await bench.open(100_000);
  for (let index = 0; index < 100; index += 1) bench.put(journal, `k${index}`, 'x'.repeat(30_000));
  await journal.saved();
  bench.put(journal, 'last', 'x');
  await journal.saved();
  await eventually(() => readdirSync(bench.folder).join() === `00000002.journal,00000002.snapshot,${mark}`);
  await journal.close();
  return bench;
}

/** Where the frames of a file begin, and where it ends. */
const boundaries = (bytes: Buffer): readonly number[] => {
  const found: number[] = [];
  for (let at = 0; at >= 0; at = bytes.indexOf('SBJ2', at + 1)) found.push(at);
  return [...found, bytes.length];
};

test('a snapshot that ends early is refused, also between two frames', async () => {
  const bench = await bigSnapshot();
  const path = join(bench.folder, '00000002.snapshot');
  const original = readFileSync(path);
  const ends = boundaries(original).slice(0, -1);
  expect(ends.length).toBeGreaterThan(3);
  for (const end of [...ends, original.length - 1]) {
    writeFileSync(path, original.subarray(0, end));
    await expect(bench.open()).rejects.toThrow(`${path} is damaged at byte `);
  }
});

test('a journal before the newest that ends early is refused, also between two frames', async () => {
  const bench = newBench();
  const journal = await bench.open(100_000);
  const rename = jest.spyOn(JournalFiles.prototype, 'rename').mockRejectedValue(new Error('ENOSPC'));
  for (let index = 0; index < 12; index += 1) {
    bench.put(journal, `k${index}`, 'x'.repeat(10_000));
    await journal.saved();
  }
  await eventually(() => bench.faults.length > 0);
  await journal.close();
  rename.mockRestore();
  const path = join(bench.folder, first);
  expect(readdirSync(bench.folder)).toEqual([first, '00000002.journal', mark]);
  const original = readFileSync(path);
  for (const end of [...boundaries(original).slice(0, -1), original.length - 1]) {
    writeFileSync(path, original.subarray(0, end));
    await expect(bench.open()).rejects.toThrow(`${path} is damaged at byte `);
  }
});
