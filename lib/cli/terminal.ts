import { readFileSync } from 'node:fs';

/** Where a command writes. */
export interface Terminal {
  /** Standard output: results. */
  out(line: string): void;
  /** Standard output as well: resolves once the line is written, with false when its reader is gone. */
  deliver(line: string): Promise<boolean>;
  /** Standard error: what went wrong, in one sentence. */
  error(line: string): void;
}

/**
 * Writes lines until the reader is gone (`sombus dev | head -3`): later lines are dropped, and nothing fails.
 * Resolves with whether the line was written.
 */
const lineWriter = (stream: NodeJS.WritableStream): ((line: string) => Promise<boolean>) => {
  let readable = true;
  stream.on('error', () => {
    readable = false;
  });
  return line =>
    new Promise(resolve => {
      if (readable) stream.write(`${line}\n`, fault => resolve(!fault));
      else resolve(false);
    });
};

/** The terminal of this process. */
export const processTerminal = (): Terminal => {
  const deliver = lineWriter(process.stdout);
  const complain = lineWriter(process.stderr);
  return {
    deliver,
    out: line => void deliver(line),
    error: line => void complain(line),
  };
};

const standardInput = 0;

/**
 * The bytes of a file, or of standard input for `-`.
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
