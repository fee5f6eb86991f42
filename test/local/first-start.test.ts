import fs, { cpSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { demoStory } from '../../lib/local/demo-messages.ts';
import { startLocalService } from '../../lib/local/start.ts';
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

// SQLite's format: a log has a header, and frames of a page and their own header each.
const logHeaderBytes = 32;
const frameBytes = 24 + 4096;

/** Cuts a copy's log where it was last flushed, as a power cut may. */
const cutLog = (data: string): void => {
  const log = join(data, 'store.sqlite-wal');
  if (!fs.existsSync(log) || !fs.existsSync(join(data, 'store.sqlite-mark'))) return;
  const flushedFrames = readFileSync(join(data, 'store.sqlite-mark')).readUInt32LE(8);
  truncateSync(log, Math.min(statSync(log).size, logHeaderBytes + flushedFrames * frameBytes));
};

/** Copies a folder as it is after each write of one of its files. */
const copyAtEachWrite = async (data: string, work: () => Promise<unknown>): Promise<readonly string[]> => {
  const copies: string[] = [];
  const rename = fs.renameSync;
  const spy = jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    rename(from, to);
    const copy = join(scratch.path, `${copies.length}-${basename(String(to))}`);
    cpSync(data, copy, { recursive: true });
    cutLog(copy);
    copies.push(copy);
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return copies;
};

test('a power cut after any write of the first start loses neither the demo data nor its role', async () => {
  const data = join(scratch.path, 'data');
  const copies = await copyAtEachWrite(data, async () => (await start(data)).close());
  expect(copies.map(copy => basename(copy))).toContainEqual(expect.stringContaining('demo-role.json'));
  for (const copy of copies) {
    const { ready, close } = await start(copy);
    const url = `${ready.base_url}/tenants/${ready.workspace}/iam/validate`;
    const [message = ''] = demoStory(ready.producer.system_id);
    const { status } = await signedPost(ready.role, url, message);
    await close();
    expect([basename(copy), status]).toEqual([basename(copy), 202]);
  }
});
