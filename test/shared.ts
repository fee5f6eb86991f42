import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', 'shared');

/** A file of the reference data beside the project, which is read-only and no part of it. */
export const sharedPath = (...parts: string[]): string => join(root, ...parts);

export const readShared = (...parts: string[]): Buffer => readFileSync(sharedPath(...parts));

/** `describe`, or a visible notice where the reference data is not there. */
export const describeShared = (folder: string, title: string, body: () => void): void => {
  if (existsSync(sharedPath(folder))) {
    describe(title, body);
    return;
  }
  process.stderr.write(`\nNOTICE: ../shared/${folder} is not there: "${title}" was not run.\n`);
  test(`${title}: not run, ../shared/${folder} is not there`, () => undefined);
};
