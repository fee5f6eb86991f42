import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import { StartRefusal } from '../local/env.ts';
import { ChecksFailed, type CommandContext, exitCodes, Refused, terminal, wordsOf } from './command.ts';
import { connectionCommand } from './connections.ts';
import { demoCommand } from './demo.ts';
import { devCommand } from './dev.ts';
import { doctorCommand } from './doctor.ts';
import { envCommand, exampleCommand } from './env.ts';
import { idpCommand } from './idp.ts';
import { keysCommand } from './keys.ts';
import { limitsCommand, quotaCommand } from './limits.ts';
import { publishCommand, tailCommand } from './messages.ts';
import { partyCommands } from './parties.ts';
import { replayCommand } from './replay.ts';
import { principalCommand, roleCommand } from './roles.ts';
import { skillCommand } from './skills.ts';
import { newTarget, type Target } from './target.ts';

/** The whole command line. */
export const program = (context: CommandContext, target: Target): Command => {
  const root = new Command('sombus')
    .description('som-bus: a message bus for testing SOM 1.0 messages')
    .version(version)
    .hook('preAction', (_root, action) => target.choose(action.opts()));
  const commands = [
    devCommand(context),
    demoCommand(context),
    envCommand(context),
    exampleCommand(context),
    doctorCommand(context),
    publishCommand(context),
    tailCommand(context),
    ...partyCommands(context),
    connectionCommand(context),
    quotaCommand(context),
    replayCommand(context),
    keysCommand(context),
    principalCommand(context),
    roleCommand(context),
    idpCommand(context),
    skillCommand(context),
    limitsCommand(context),
  ];
  for (const command of commands) root.addCommand(command);
  return strict(root);
};

/** Errors come back as exceptions, one sentence each, and excess arguments are errors, for a command and all below it. */
const strict = (command: Command): Command => {
  command.exitOverride().allowExcessArguments(false).showSuggestionAfterError(true);
  command.configureOutput({ outputError: (text, write) => write(`${text.split('\n', 1)[0]}\n`) });
  command.commands.forEach(strict);
  return command;
};

/** The exit code of a failed command; what went wrong is one sentence on standard error. */
const exitCodeOf = (fault: unknown): number => {
  if (fault instanceof CommanderError) return fault.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const message = wordsOf(fault);
  if (fault instanceof Refused) {
    terminal.error(`refused: ${message}`);
    return exitCodes.refused;
  }
  if (fault instanceof ChecksFailed) {
    terminal.error(message);
    return exitCodes.refused;
  }
  terminal.error(fault instanceof StartRefusal ? message : `failed: ${message}`);
  return exitCodes.usage;
};

/** Runs one command line and gives its exit code. */
export const main = async (argv: readonly string[]): Promise<number> => {
  try {
    const target = newTarget();
    const { registry, replays } = target;
    await program({ terminal, registry, replays }, target).parseAsync(argv);
    return exitCodes.done;
  } catch (fault) {
    return exitCodeOf(fault);
  }
};
