import type { CommandTarget } from '../../lib/cli/frame/target.ts';
import { visible } from '../../lib/cli/frame/terminal.ts';
import { main } from '../../lib/cli/main.ts';
import { recordingTerminal } from './fakes/terminal.ts';
import { unused } from './fakes/unused.ts';

const text = (lines: readonly string[]): string => lines.map(line => `${visible(line)}\n`).join('');

/** Runs a command line in this process: its output and exit code. */
const ran = async (args: readonly string[], target?: CommandTarget) => {
  const { terminal, printed, errors } = recordingTerminal();
  const code = await main(['node', 'sombus', ...args], terminal, target);
  return { code, stdout: text(printed), stderr: text(errors) };
};

/** The same with more environment variables. */
export const sombusWith = async (variables: NodeJS.ProcessEnv, ...args: readonly string[]) => {
  const before = Object.keys(variables).map(name => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    return await ran(args);
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
};

export const sombus = (...args: readonly string[]) => ran(args);

/** The ports of a test in the place of the local service's. */
export const targetOf = (ports: Partial<CommandTarget>): CommandTarget => ({
  choose: async () => undefined,
  registry: () => unused('the registry'),
  ...ports,
});

/** The same on ports of the test. */
export const sombusOn = (ports: Partial<CommandTarget>, ...args: readonly string[]) =>
  ran(args, targetOf(ports));
