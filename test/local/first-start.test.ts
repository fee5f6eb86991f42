import fs, { cpSync, statSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemDisk } from '../../lib/local/engines/store.ts';
import { startLocalService } from '../../lib/local/start.ts';
import { demoStory } from '../../lib/som/messages/demo-messages.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { signedPost } from '../support/signed-client.ts';
import { startOptions } from '../support/start-options.ts';

const scratch = temporaryFolder();
afterAll(scratch.remove);

const start = (data: string) =>
  startLocalService({
    ...startOptions(data),
    warn: line => {
      throw new Error(line);
    },
  });

/**
 * How much of the database's log is on disk: a power cut takes the rest. What is written while a
 * flush runs may not be in it.
 */
const watchLog = () => {
  const { flush } = systemDisk;
  const watched = { flushes: 0, flushedBytes: 0 };
  const spy = jest.spyOn(systemDisk, 'flush').mockImplementation(async file => {
    const { size } = fs.fstatSync(file);
    await flush(file);
    watched.flushes += 1;
    watched.flushedBytes = size;
  });
  return { watched, end: () => spy.mockRestore() };
};

/** Cuts a copy's log where it was last flushed, as a power cut may. */
const cutLog = (data: string, flushedBytes: number): void => {
  const log = join(data, 'store.sqlite-wal');
  truncateSync(log, Math.min(statSync(log).size, flushedBytes));
};

/** Copies a folder as a power cut leaves it after each of its files that is written whole. */
const copyAtEachWrite = async (data: string, work: () => Promise<unknown>) => {
  const copies: string[] = [];
  const { watched, end } = watchLog();
  const rename = fs.renameSync;
  const spy = jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    rename(from, to);
    // Before the database is opened there is nothing to lose.
    if (!fs.existsSync(join(data, 'store.sqlite-wal'))) return;
    const copy = join(scratch.path, `${copies.length}-${basename(String(to))}`);
    cpSync(data, copy, { recursive: true });
    cutLog(copy, watched.flushedBytes);
    copies.push(copy);
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
    end();
  }
  return { copies, flushes: watched.flushes };
};

test('a power cut after any write of the first start loses neither the demo data nor its role', async () => {
  const data = join(scratch.path, 'data');
  const work = async () => (await start(data)).close();
  const { copies, flushes } = await copyAtEachWrite(data, work);
  const written = copies.map(copy => basename(copy).replace(/^\d+-/, ''));
  expect(written).toEqual(expect.arrayContaining(['credentials.json', 'demo-role.json']));
  expect(flushes).toBeGreaterThan(0);
  for (const copy of copies) {
    const { ready, close } = await start(copy);
    const url = `${ready.base_url}/tenants/${ready.workspace}/iam/validate`;
    const [message = ''] = demoStory(ready.producer.system_id);
    const { status } = await signedPost(ready.role, url, message);
    await close();
    expect([basename(copy), status]).toEqual([basename(copy), 202]);
  }
});
