import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataFolder, openDataFolder } from '../../lib/local/data-folder.ts';
import { operatorKey, operatorKeyIn } from '../../lib/local/roles.ts';
import { temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
afterAll(folder.remove);

/** What some work on a new data folder gives. */
const inFolder = async <T>(work: (open: DataFolder) => T): Promise<T> => {
  const open = openDataFolder(mkdtempSync(join(folder.path, 'data-')), { fresh: false });
  try {
    open.begin();
    return work(open);
  } finally {
    open.release();
    rmSync(open.path, { recursive: true });
  }
};

test('the operator key is made once, readable only by its owner, and found by the commands', async () => {
  await inFolder(open => {
    const key = operatorKey(open);
    expect(key).toEqual({
      accessKeyId: expect.stringMatching(/^AKIA[A-Z2-7]{16}$/),
      secretAccessKey: expect.stringMatching(/^[\w+/]{40}$/),
    });
    expect(operatorKey(open)).toEqual(key);
    expect(operatorKeyIn(open.path)).toEqual(key);
    expect(statSync(open.file('operator-key.json')).mode & 0o777).toBe(0o600);
  });
});

test.each([
  '',
  '{',
  '{}',
  '{"accessKeyId":"AKIA"}',
  '{"accessKeyId":"A,IA","secretAccessKey":"a"}',
  '{"accessKeyId":7,"secretAccessKey":"a"}',
])('a damaged operator key (%j) is replaced', async text => {
  await inFolder(open => {
    const before = operatorKey(open);
    writeFileSync(open.file('operator-key.json'), text);
    expect(() => operatorKeyIn(open.path)).toThrow(
      /^The operator key .*operator-key\.json cannot be read: /,
    );
    const after = operatorKey(open);
    expect(after.secretAccessKey).not.toBe(before.secretAccessKey);
    expect(readFileSync(open.file('operator-key.json'), 'utf8')).toContain(after.accessKeyId);
  });
});

test('every data folder has its own operator key', async () => {
  expect(await inFolder(operatorKey)).not.toEqual(await inFolder(operatorKey));
});

test('the id of a key has every letter of AWS’s alphabet', () => {
  const nowhere = { readHint: () => undefined, write: () => undefined };
  const ids = Array.from({ length: 100 }, () => operatorKey(nowhere).accessKeyId.slice(4));
  expect([...new Set(ids.join(''))].toSorted().join('')).toBe('234567ABCDEFGHIJKLMNOPQRSTUVWXYZ');
});
