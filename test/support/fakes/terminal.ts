import type { Terminal } from '../../../lib/cli/frame/terminal.ts';

/** A terminal that keeps what a command prints. */
export const recordingTerminal = () => {
  const printed: string[] = [];
  const errors: string[] = [];
  const terminal: Terminal = {
    out: line => void printed.push(line),
    error: line => void errors.push(line),
    deliver: async line => printed.push(line) > 0,
    writeError: async () => undefined,
  };
  return { terminal, printed, errors };
};
