import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { JournalFiles } from '../../../../lib/local/engines/journal/journal-files.ts';
import { JournalBench } from '../support/journal-bench.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { until } from '../support/until.ts';

const root = scratchFolder();
let number = 0;

const newBench = () => {
  number += 1;
  return new JournalBench(join(root, String(number)));
};

const copyOf = (bench: JournalBench) => {
  const copy = newBench();
  mkdirSync(copy.folder);
  for (const name of readdirSync(bench.folder))
    copyFileSync(join(bench.folder, name), join(copy.folder, name));
  return copy;
};

const first = '00000001.journal';
const mark = 'journal.mark';

test('what was saved is there after a restart, bodies byte for byte', async () => {
  const bench = newBench();
  const journal = await bench.open();
  const bodies = { empty: '', one: 'x', unicode: 'ünï😀', long: 'long '.repeat(60_000) };
  for (const [name, body] of Object.entries(bodies)) bench.put(journal, name, body);
  await journal.close();
  const again = await bench.open();
  expect(await bench.bodies(again)).toEqual(bodies);
  await again.close();
});

test('a body can be read as soon as it was appended', async () => {
  const bench = newBench();
  const journal = await bench.open();
  expect(String(await journal.read(bench.put(journal, 'a', 'early')))).toBe('early');
  await journal.close();
});

test('records that are appended together are saved by one write', async () => {
  const bench = newBench();
  const journal = await bench.open();
  for (let index = 0; index < 100; index += 1) bench.put(journal, `${index}`, 'x');
  await journal.saved();
  // One frame has one mark at its head.
  expect(readFileSync(join(bench.folder, first), 'latin1').split('SBJ2')).toHaveLength(2);
  await journal.close();
});

test('a lazy record waits for company, but not longer than its time', async () => {
  const bench = newBench();
  const journal = await bench.open();
  journal.appendLazily({ name: 'lazy' });
  await new Promise(resolve => setImmediate(resolve));
  expect(statSync(join(bench.folder, first)).size).toBe(0);
  bench.clock.advance(50);
  await journal.saved();
  expect(statSync(join(bench.folder, first)).size).toBeGreaterThan(0);
  expect(bench.clock.pending).toBe(0);
  await journal.close();
});

test('a lazy record is saved with whatever is saved after it', async () => {
  const bench = newBench();
  const journal = await bench.open();
  journal.appendLazily({ name: 'lazy' });
  bench.put(journal, 'eager', '');
  await journal.saved();
  const copy = copyOf(bench);
  const again = await copy.open();
  expect(copy.kept.map(({ name }) => name)).toEqual(['lazy', 'eager']);
  await again.close();
  await journal.close();
});

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

test('a frame that was never acknowledged may be torn anywhere: the others are there, and it goes on', async () => {
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

test('another journal in the place of this one is refused', async () => {
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

test('a torn end is kept in a file of its own, each time, and told', async () => {
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
    /00000001\.journal holds a record near byte \d+ that is none of ours: no name/,
  );
});

async function grow(bench: JournalBench, rounds: number) {
  const journal = await bench.open(10_000);
  for (let round = 0; round < rounds; round += 1) {
    bench.put(journal, `k${round % 5}`, `${round} `.repeat(200));
    await journal.saved();
  }
  return journal;
}

test('a journal that is written for ever stays small, and loses nothing', async () => {
  const bench = newBench();
  const journal = await grow(bench, 300);
  const expected = await bench.bodies(journal);
  await journal.close();
  const bytes = readdirSync(bench.folder).reduce(
    (sum, name) => sum + statSync(join(bench.folder, name)).size,
    0,
  );
  expect(bytes).toBeLessThan(40_000);
  const again = await bench.open();
  expect(await bench.bodies(again)).toEqual(expected);
  expect(expected['k4']).toMatch(/^299 /);
  expect(bench.faults).toEqual([]);
  await again.close();
});

test('bodies that compaction moved are still read', async () => {
  const bench = newBench();
  const journal = await bench.open(10_000);
  const stored = bench.put(journal, 'kept', 'kept '.repeat(100));
  for (let round = 0; round < 100; round += 1) {
    bench.put(journal, 'other', 'other '.repeat(100));
    await journal.saved();
  }
  expect(stored.file).not.toBe(first);
  expect(String(await journal.read(stored))).toBe('kept '.repeat(100));
  await journal.close();
});

test('a crash between any two steps of a compaction loses nothing that was saved', async () => {
  const bench = newBench();
  const stages: { copy: JournalBench; saved: number }[] = [];
  let saved = -1;
  const stage = () => stages.push({ copy: copyOf(bench), saved });
  const { open: openFile, rename, remove } = JournalFiles.prototype;
  jest.spyOn(JournalFiles.prototype, 'open').mockImplementation(async function (
    this: JournalFiles,
    ...given
  ) {
    stage();
    return await openFile.apply(this, given).finally(stage);
  });
  jest.spyOn(JournalFiles.prototype, 'rename').mockImplementation(async function (
    this: JournalFiles,
    ...given
  ) {
    stage();
    await rename.apply(this, given).finally(stage);
  });
  jest.spyOn(JournalFiles.prototype, 'remove').mockImplementation(async function (
    this: JournalFiles,
    ...given
  ) {
    stage();
    await remove.apply(this, given).finally(stage);
  });
  mkdirSync(bench.folder);
  const journal = await bench.open(10_000);
  for (let round = 0; round < 60; round += 1) {
    bench.put(journal, 'kept', `${round} `.repeat(300));
    await journal.saved();
    saved = round;
  }
  await journal.close();
  jest.restoreAllMocks();
  expect(stages.length).toBeGreaterThan(10);
  for (const { copy, saved: least } of stages) {
    const again = await copy.open();
    const { kept = '-1' } = await copy.bodies(again);
    expect(parseInt(kept, 10)).toBeGreaterThanOrEqual(least);
    await again.close();
  }
});

test('an unfinished snapshot is thrown away, and files of others are left alone', async () => {
  const bench = newBench();
  const journal = await grow(bench, 10);
  await journal.close();
  writeFileSync(join(bench.folder, '00000009.snapshot.tmp'), 'half');
  writeFileSync(join(bench.folder, 'README'), 'mine');
  const again = await grow(bench, 100);
  await again.close();
  expect(readdirSync(bench.folder)).toContain('README');
  expect(readdirSync(bench.folder)).not.toContain('00000009.snapshot.tmp');
});

test('a missing journal is refused by name', async () => {
  const bench = newBench();
  const journal = await grow(bench, 100);
  await journal.close();
  const name = readdirSync(bench.folder).find(file => file.endsWith('.journal')) ?? '';
  rmSync(join(bench.folder, name));
  await expect(bench.open()).rejects.toThrow(`${join(bench.folder, name)} is missing`);
});

/** A state of several megabytes in a snapshot of several frames. */
async function bigSnapshot() {
  const bench = newBench();
  const journal = await bench.open(100_000);
  for (let index = 0; index < 100; index += 1) bench.put(journal, `k${index}`, 'x'.repeat(30_000));
  await journal.saved();
  bench.put(journal, 'last', 'x');
  await journal.saved();
  await until(() => readdirSync(bench.folder).join() === `00000002.journal,00000002.snapshot,${mark}`);
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
  await until(() => bench.faults.length > 0);
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

describe('the version before, which kept no mark,', () => {
  const frames =
    'U0JKMQAAAB0k729nKuvSEQAAAAwAAAAJeyJuYW1lIjoiYSJ9Ym9keSBvZiBhU0JKMQAAAB3KeOwtYrApaQAAAAwAAAAJeyJuYW1lIjoiYiJ9Ym9keSBvZiBiU0JKMQAAAB0m2pDUYw4ipQAAAAwAAAAJeyJuYW1lIjoiYyJ9Ym9keSBvZiBj';
  const killed = Buffer.from(frames, 'base64');
  const closed = Buffer.concat([killed, Buffer.from('U0JKMQAAAAAAAAAADsatRQ==', 'base64')]);
  const folderOf = (files: Readonly<Record<string, Buffer>>) => {
    const bench = newBench();
    mkdirSync(bench.folder);
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(bench.folder, name), bytes);
    return bench;
  };
  const all = { a: 'body of a', b: 'body of b', c: 'body of c' };

  test.each([
    ['was closed', { [first]: closed }],
    ['was killed', { [first]: killed }],
    ['was killed while it replaced its journals', { [first]: closed, '00000002.journal': killed }],
    [
      'had a snapshot',
      { '00000002.snapshot': killed, '00000002.journal': closed, '00000003.journal': closed },
    ],
  ])('%s: its folder is read, and guarded from then on', async (_what, files) => {
    const bench = folderOf(files);
    const journal = await bench.open();
    expect(await bench.bodies(journal)).toEqual(all);
    bench.put(journal, 'd', 'after');
    await journal.close();
    const again = await bench.open();
    expect(await bench.bodies(again)).toEqual({ ...all, d: 'after' });
    await again.close();
    const newest = readdirSync(bench.folder).findLast(name => name.endsWith('.journal')) ?? '';
    truncateSync(join(bench.folder, newest));
    await expect(bench.open()).rejects.toThrow(`${join(bench.folder, newest)} is damaged at byte 0`);
    expect(bench.faults).toEqual([]);
  });

  test('left a torn end: what it had acknowledged cannot be known, and that is told', async () => {
    const bench = folderOf({ [first]: killed.subarray(0, -1) });
    const journal = await bench.open();
    expect(Object.keys(await bench.bodies(journal))).toEqual(['a', 'b']);
    expect(bench.faults.map(String)).toEqual([
      expect.stringContaining('of an earlier version, which kept no note'),
    ]);
    await journal.close();
  });

  test('left a flipped bit: it is refused', async () => {
    const damaged = Buffer.from(closed);
    damaged.writeUInt8(damaged.readUInt8(100) ^ 1, 100);
    const bench = folderOf({ [first]: damaged });
    await expect(bench.open()).rejects.toThrow(`${join(bench.folder, first)} is damaged at byte 90 `);
  });
});

test('after a failed write nothing more is taken, and the saved part survives', async () => {
  const bench = newBench();
  const journal = await bench.open();
  bench.put(journal, 'a', 'saved');
  await journal.saved();
  const file = await open(join(bench.folder, first));
  const write = jest
    .spyOn(Object.getPrototypeOf(file), 'writev')
    .mockRejectedValueOnce(new Error('ENOSPC: no space left'));
  bench.put(journal, 'b', 'lost');
  await expect(journal.saved()).rejects.toThrow(
    /00000001\.journal could not be written \(ENOSPC: no space left\)/,
  );
  write.mockRestore();
  await file.close();
  expect(() => journal.append({ name: 'c' })).toThrow('Nothing more is taken');
  await journal.close();
  const again = await bench.open();
  expect(await bench.bodies(again)).toEqual({ a: 'saved' });
  await again.close();
});

test('nothing counts as saved, and no body is read, before the disk has it', async () => {
  const bench = newBench();
  const journal = await bench.open();
  const file = await open(join(bench.folder, first));
  let reachDisk: () => void = () => undefined;
  const disk = new Promise<void>(resolve => {
    reachDisk = resolve;
  });
  const sync = jest.spyOn(Object.getPrototypeOf(file), 'datasync').mockReturnValueOnce(disk);
  const order: string[] = [];
  const stored = bench.put(journal, 'a', 'body');
  const done = [
    journal.saved().then(() => order.push('saved')),
    journal.read(stored).then(() => order.push('read')),
    journal.read(stored).then(() => order.push('read')),
  ];
  await until(() => sync.mock.calls.length > 0);
  await new Promise(resolve => setImmediate(resolve));
  order.push('disk');
  reachDisk();
  await Promise.all(done);
  expect(order[0]).toBe('disk');
  expect(order).toHaveLength(4);
  sync.mockRestore();
  await file.close();
  await journal.close();
});

test('a close gives up a compaction, which starts again later', async () => {
  const bench = newBench();
  const journal = await bench.open(100_000);
  for (let index = 0; index < 100; index += 1) bench.put(journal, `k${index}`, 'x'.repeat(30_000));
  await journal.saved();
  bench.put(journal, 'last', 'x');
  await journal.saved();
  await journal.close();
  expect(bench.faults).toEqual([]);
  expect(readdirSync(bench.folder)).toEqual([first, '00000002.journal', mark]);
  const again = await bench.open(100_000);
  expect(Object.keys(await bench.bodies(again))).toHaveLength(101);
  await again.close();
});
