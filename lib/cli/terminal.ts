/** Where a command writes. */
export interface Terminal {
  /** Standard output: results. */
  out(line: string): void;
  /** Standard output, for who must know: resolves once the line is written, with false when its reader is gone. */
  deliver(line: string): Promise<boolean>;
  /** Standard error: what went wrong, in one sentence. */
  error(line: string): void;
}

/**
 * Writes lines until the reader is gone (`sombus dev | head -3`): what comes after that is dropped, and nothing fails.
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

const terminalOn = (out: NodeJS.WritableStream, error: NodeJS.WritableStream): Terminal => {
  const deliver = lineWriter(out);
  const complain = lineWriter(error);
  return {
    deliver,
    out: line => void deliver(line),
    error: line => void complain(line),
  };
};

export const terminal: Terminal = terminalOn(process.stdout, process.stderr);
