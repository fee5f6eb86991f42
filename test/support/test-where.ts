import { existsSync } from 'node:fs';

/** `test`, or a visible notice on a system that lacks a path. */
export const testWhere = (path: string, title: string, body: () => Promise<void>): void => {
  if (existsSync(path)) {
    test(title, body);
    return;
  }
  process.stderr.write(`\nNOTICE: there is no ${path} here: "${title}" was not run.\n`);
  test(`${title}: not run, there is no ${path} here`, () => undefined);
};
