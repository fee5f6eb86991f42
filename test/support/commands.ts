import { visible } from '../../lib/cli/command.ts';
import { main } from '../../lib/cli/main.ts';
import { recordingTerminal } from './fakes/terminal.ts';

const text = (lines: readonly string[]): string => lines.map(line => `${visible(line)}\n`).join('');

/** Runs a command line in this process, with more environment variables: its output and exit code. */
export const sombusWith = async (variables: NodeJS.ProcessEnv, ...args: readonly string[]) => {
  const { terminal, printed, errors } = recordingTerminal();
  const before = Object.keys(variables).map(name => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    const code = await main(['node', 'sombus', ...args], terminal);
    return { code, stdout: text(printed), stderr: text(errors) };
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
};

/** The same without more variables. */
export const sombus = (...args: readonly string[]) => sombusWith({}, ...args);
