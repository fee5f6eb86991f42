import { readFileSync } from 'node:fs';

const standardInput = 0;

/**
 * The bytes of a file, or of standard input where it is `-`.
 *
 * @throws Error when it cannot be read
 */
export const inputBytes = (file: string): Uint8Array => {
  try {
    return readFileSync(file === '-' ? standardInput : file);
  } catch (cause) {
    throw new Error(`The file ${file} cannot be read.`, { cause });
  }
};
