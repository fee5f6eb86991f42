/** Why the local service cannot start, in one sentence for the person who started it. */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal';
}

const anew = 'If nothing in the data folder is needed any more, --fresh begins anew.';

/** What to do about a file that cannot be read as it was written. */
export const damagedFile = (path: string): StartRefusal =>
  new StartRefusal(`The file ${path} is damaged: restore the data folder from a copy. ${anew}`);

/** The same of a file whose own checksum says so. */
export const changedFile = (path: string): StartRefusal =>
  new StartRefusal(
    `The file ${path} is damaged, its checksum says: restore the data folder from a copy. If you changed it yourself, remove its member "checksum". ${anew}`,
  );

/** What to do about parts of a data folder that were there once. */
export const missingParts = (folder: string, parts: readonly string[]): StartRefusal =>
  new StartRefusal(
    `The data folder ${folder} has lost ${parts.join(', ')}: restore the folder from a copy. ${anew}`,
  );
