import { readFileSync, statSync, writeFileSync } from 'node:fs';

/*
 * A database of gigabytes takes half a minute to check, and hardly ever has another program touched it. The stamp is what the file
 * system says of the database when this program has last written it. If it says the same at the next start, nobody has: a copy is
 * another file, and no program sets the time of the last change of a file's state (ctime).
 */

/** A database and the checksums of its pages. */
interface Noted {
  readonly database: string;
  readonly sums: string;
  readonly stamp: string;
}

const stampOf = ({ database, sums }: Noted): string =>
  [database, sums]
    .map(path => statSync(path, { bigint: true }))
    .map(({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(' '))
    .join('\n');

/** Notes the database as it is now. A stamp that is lost, or that a crash left behind, only costs the next start its time. */
export const noteStamp = (files: Noted): void => writeFileSync(files.stamp, stampOf(files), { mode: 0o600 });

/** Whether nobody has touched the two files since they were noted. */
export const isAsNoted = (files: Noted): boolean => {
  try {
    return readFileSync(files.stamp, 'utf8') === stampOf(files);
  } catch {
    return false;
  }
};
