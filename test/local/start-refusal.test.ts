import fs, { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  folderRefusal,
  intactJson,
  jsonHint,
  missingParts,
  StartRefusal,
  writeDurably,
} from '../../lib/local/start-refusal.ts';
import { temporaryFolder } from '../support/service-process.ts';

const scratch = temporaryFolder();
afterAll(scratch.remove);
afterEach(() => jest.restoreAllMocks());

const failed = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

describe('what the disk did wrong at a start names the folder and what to do', () => {
  test.each([
    [
      'ENOSPC',
      'no space left on device, write',
      /^There is no room for .* free some space on its disk, or choose/,
    ],
    ['EDQUOT', 'disk quota exceeded, write', /^There is no room for /],
    ['SQLITE_FULL', 'database or disk is full', /^There is no room for /],
    ['SQLITE_IOERR_WRITE', 'disk I/O error', /^There is no room for /],
    [
      'EROFS',
      "read-only file system, open 'lock.new'",
      /cannot be written .* or choose another folder with --data\.$/,
    ],
    ['EACCES', 'permission denied', /cannot be written .*: let this user write there/],
    ['SQLITE_READONLY_DIRECTORY', 'attempt to write a readonly database', /cannot be written /],
    [
      'SQLITE_CORRUPT',
      'database disk image is malformed',
      /is damaged .*: restore the folder from a copy\. /,
    ],
    ['SQLITE_NOTADB', 'file is not a database', /is damaged /],
    ['EIO', 'i/o error, read', /^The disk of the data folder .* failed .*: check the disk/],
    ['SQLITE_IOERR_READ', 'disk I/O error', /^The disk of the data folder .* failed /],
    ['EFBIG', 'file too large', /^There is no room for /],
    ['EPERM', 'operation not permitted', /cannot be written /],
    ['SQLITE_CANTOPEN', 'unable to open database file', /cannot be written /],
  ])('%s: %s', (code, message, words) => {
    const thrown = new Error('It did not start.', { cause: failed(code, message) });
    const refusal = folderRefusal(thrown, '/home/ana/bus');
    expect(refusal).toBeInstanceOf(StartRefusal);
    expect(refusal).toMatchObject({ message: expect.stringMatching(words), cause: thrown });
    expect(refusal).toMatchObject({ message: expect.stringContaining(`/home/ana/bus`) });
    expect(refusal).toMatchObject({ message: expect.stringContaining(`(${message})`) });
  });

  test.each([
    [
      'a refusal that says it better',
      new StartRefusal('Port 1 is taken.', { cause: failed('ENOSPC', 'x') }),
    ],
    ['an error of another kind', failed('ECONNREFUSED', 'connect')],
    ['an error without a code', new TypeError('x is not a function')],
    ['a code of something else', failed('ERR_INVALID_ARG_TYPE', 'x')],
    ['no error at all', 'ENOSPC'],
    ['an error of nothing', new Error('x', { cause: null })],
  ])('but not %s', (_, thrown) => {
    expect(folderRefusal(thrown, '/home/ana/bus')).toBe(thrown);
  });
});

describe('a file of a data folder', () => {
  const folder = () => mkdtempSync(join(scratch.path, 'data-'));

  test('is replaced in one step, which is on disk when it is done', () => {
    const data = folder();
    const path = join(data, 'file.json');
    const steps: unknown[] = [];
    const open = new Map<number, string>();
    const { openSync, fsyncSync, closeSync, renameSync } = fs;
    jest.spyOn(fs, 'openSync').mockImplementation((file, ...rest) => {
      const opened = openSync(file, ...rest);
      open.set(opened, String(file));
      return opened;
    });
    jest.spyOn(fs, 'fsyncSync').mockImplementation(file => {
      steps.push(['on disk', open.get(file)]);
      fsyncSync(file);
    });
    jest.spyOn(fs, 'closeSync').mockImplementation(file => {
      steps.push(['closed', open.get(file)]);
      closeSync(file);
    });
    jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      steps.push(['renamed', from, to, readFileSync(from, 'utf8')]);
      renameSync(from, to);
    });
    writeDurably(path, 'one');
    expect(steps.filter(step => String(step).includes(data))).toEqual([
      ['on disk', `${path}.new`],
      ['closed', `${path}.new`],
      ['renamed', `${path}.new`, path, 'one'],
      ['on disk', data],
      ['closed', data],
    ]);
    writeDurably(path, 'two');
    expect([readFileSync(path, 'utf8'), readdirSync(data)]).toEqual(['two', ['file.json']]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('is written on Windows too, where no folder can be opened', () => {
    const path = join(folder(), 'file.json');
    const flushed = jest.spyOn(fs, 'fsyncSync');
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    try {
      writeDurably(path, 'one');
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
    expect([readFileSync(path, 'utf8'), flushed.mock.calls.length]).toEqual(['one', 1]);
  });

  test('is a hint if it may be damaged, and named if it may not', () => {
    const path = join(folder(), 'file.json');
    const damaged = `The file ${path} is damaged: restore the data folder from a copy. If you need nothing in the data folder, start over with --fresh.`;
    expect(jsonHint(path)).toBeUndefined();
    expect(() => intactJson(path)).toThrow(new StartRefusal(damaged));
    writeFileSync(path, '{');
    expect(jsonHint(path)).toBeUndefined();
    expect(() => intactJson(path)).toThrow(new StartRefusal(damaged));
    writeFileSync(path, '[null]');
    expect([jsonHint(path), intactJson(path)]).toEqual([[null], [null]]);
  });

  test('that is missing is named with the others', () => {
    expect(missingParts('/home/ana/bus', ['store.sqlite', 'roles']).message).toBe(
      'The data folder /home/ana/bus has lost store.sqlite, roles: restore the folder from a copy. If you need nothing in the data folder, start over with --fresh.',
    );
  });
});
