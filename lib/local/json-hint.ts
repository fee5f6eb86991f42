import { readFileSync } from 'node:fs';

/** The JSON value of a file that can be done without; undefined when it is absent or damaged. */
export const jsonHint = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
};
