/** Where a command writes. */
export interface Terminal {
  /** Standard output: results. */
  out(line: string): void;
  /** Standard error: what went wrong, in one sentence. */
  error(line: string): void;
}

/** Writes lines until the reader is gone (`sombus dev | head -3`): what comes after that is dropped, and nothing fails. */
const lineWriter = (stream: NodeJS.WritableStream): ((line: string) => void) => {
  let readable = true;
  stream.on('error', () => {
    readable = false;
  });
  return line => {
    if (readable) stream.write(`${line}\n`);
  };
};

export const terminalOn = (out: NodeJS.WritableStream, error: NodeJS.WritableStream): Terminal => ({
  out: lineWriter(out),
  error: lineWriter(error),
});

export const terminal: Terminal = terminalOn(process.stdout, process.stderr);
