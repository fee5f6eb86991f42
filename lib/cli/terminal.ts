/** Where a command writes. */
export interface Terminal {
  /** Standard output: results. */
  out(line: string): void;
  /** Standard error: what went wrong, in one sentence. */
  error(line: string): void;
}

export const terminal: Terminal = {
  out: line => void process.stdout.write(`${line}\n`),
  error: line => void process.stderr.write(`${line}\n`),
};
