import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { JournalFiles } from '../../../lib/engines/journal/files.ts';
import { eventually } from '../../support/eventually.ts';
import type { JournalBench } from '../support/journal-bench.ts';
import { first, journalBenches, mark } from '../support/journal-benches.ts';

const { newBench, copyOf } = journalBenches();

test('saved records survive a restart, bodies byte for byte', async () => {
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

test('a lazy record waits for other records, but not longer than its limit', async () => {
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

test('a lazy record is saved together with the next record', async () => {
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

async function grow(bench: JournalBench, rounds: number) {
  const journal = await bench.open(10_000);
  for (let round = 0; round < rounds; round += 1) {
    bench.put(journal, `k${round % 5}`, `${round} `.repeat(200));
    await journal.saved();
  }
  return journal;
}

test('a journal with endless writes stays small and loses nothing', async () => {
  const bench = newBench();
  const journal = await grow(bench, 300);
  const bytes = () =>
    readdirSync(bench.folder).reduce((sum, name) => sum + statSync(join(bench.folder, name)).size, 0);
  // A compaction may still be under way on a busy machine: writes go on until it is done.
  while (bytes() >= 40_000) {
    bench.put(journal, 'k0', 'more '.repeat(200));
    await journal.saved();
  }
  const expected = await bench.bodies(journal);
  await journal.close();
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
  for (const { copy, saved: min } of stages) {
    const again = await copy.open();
    const { kept = '-1' } = await copy.bodies(again);
    expect(parseInt(kept, 10)).toBeGreaterThanOrEqual(min);
    await again.close();
  }
});

test('an unfinished snapshot is discarded, and files of others are left alone', async () => {
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
  expect(() => journal.append({ name: 'c' })).toThrow('The engine accepts nothing more');
  await journal.close();
  const again = await bench.open();
  expect(await bench.bodies(again)).toEqual({ a: 'saved' });
  await again.close();
});

test('nothing counts as saved, and no body is read, before it is on disk', async () => {
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
  await eventually(() => sync.mock.calls.length > 0);
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

test('a close abandons a compaction, which starts again later', async () => {
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
