import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './engines/error-code.ts';
import { StartRefusal } from './start-refusal.ts';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Not `recursive`, which never ends in Node 20 where a parent such as /proc takes no folders. */
const makeAll = (path: string): void => {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeAll(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (fault) {
    // Somebody else may have made it meanwhile.
    if (!isFolder(path)) throw fault;
  }
};

/**
 * Makes a folder and its parents, for their owner alone.
 *
 * @param path absolute
 * @throws StartRefusal when it cannot be made
 */
export const makeFolder = (path: string): void => {
  try {
    makeAll(path);
  } catch (fault) {
    const code = errorCode(fault);
    const why = code === undefined ? '' : ` (${code})`;
    throw new StartRefusal(`The data folder ${path} cannot be made${why}: choose another one with --data.`);
  }
};
