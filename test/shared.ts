import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', 'shared');

/** A file of the reference data beside the project, which is read-only and no part of it. */
export const sharedPath = (...parts: string[]): string => join(root, ...parts);

export const readShared = (...parts: string[]): Buffer => readFileSync(sharedPath(...parts));

/**
 * `describe`, or one skipped test that says why: the body reads the reference data, which is not
 * there.
 */
export const describeShared = (folder: string, title: string, body: () => void): void => {
  if (existsSync(sharedPath(folder))) describe(title, body);
  else
    describe.skip(title, () =>
      test.skip(`[skipped: ../shared/${folder} is not there]`, () => undefined),
    );
};
