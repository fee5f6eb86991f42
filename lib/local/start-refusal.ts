import { readFileSync } from 'node:fs';

/** Why the local service cannot start or continue, in one sentence for the person who started it. */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal';
}

const startAfresh = 'If you need nothing in the data folder, start over with --fresh.';

export const damagedFile = (path: string): StartRefusal =>
  new StartRefusal(`The file ${path} is damaged: restore the data folder from a copy. ${startAfresh}`);

export const missingParts = (folder: string, parts: readonly string[]): StartRefusal =>
  new StartRefusal(
    `The data folder ${folder} has lost ${parts.join(', ')}: restore the folder from a copy. ${startAfresh}`,
  );

/** The JSON value of an optional file; undefined if it is absent or damaged. */
export const jsonHint = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
};

/**
 * The JSON value of a file.
 *
 * @throws StartRefusal when it is damaged
 */
export const intactJson = (path: string): unknown => {
  const value = jsonHint(path);
  if (value === undefined) throw damagedFile(path);
  return value;
};
