import { folderRefusal, StartRefusal } from '../../lib/local/start-refusal.ts';

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
  ])('but not %s', (_, thrown) => {
    expect(folderRefusal(thrown, '/home/ana/bus')).toBe(thrown);
  });
});
