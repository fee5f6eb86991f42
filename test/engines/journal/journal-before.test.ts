import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { first, journalBenches } from '../support/journal-benches.ts';

const { newBench } = journalBenches();

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

  test('left a torn end: it is reported that what it had acknowledged is unknown', async () => {
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
