import { Command, Help, type Option } from 'commander';
import { version } from '../../package.json';
import { type CommandContext, exitCodes, processTerminal, reportFailure, type Terminal } from './command.ts';
import { connectionCommand } from './connections.ts';
import { demoCommand, exampleCommand } from './demo.ts';
import { devCommand } from './dev.ts';
import { doctorCommand } from './doctor.ts';
import { idpCommand } from './idp.ts';
import { keysCommand } from './keys.ts';
import { limitsCommand } from './limits.ts';
import { publishCommand, tailCommand } from './messages.ts';
import { partyCommands } from './parties.ts';
import { quotaCommand } from './quota.ts';
import { replayCommand } from './replay.ts';
import { principalCommand, roleCommand } from './roles.ts';
import { curlCommand, envCommand } from './shell.ts';
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
    curlCommand(context),
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

/** Flags are off and lists are empty by default: the help text need not say so. */
const optionDescription = (option: Option): string => {
  const { defaultValue } = option;
  const isPlain = defaultValue === false || (Array.isArray(defaultValue) && defaultValue.length === 0);
  return isPlain ? option.description : new Help().optionDescription(option);
};

/** For a command and its subcommands: errors are thrown and printed as one sentence, and excess arguments are errors. */
const strict = (command: Command): Command => {
  command.configureHelp({ optionDescription });
  command.exitOverride().allowExcessArguments(false).showSuggestionAfterError(true);
  command.configureOutput({ outputError: (text, write) => write(`${text.split('\n', 1)[0]}\n`) });
  command.commands.forEach(strict);
  return command;
};

/** Runs one command line and returns its exit code. */
export const main = async (
  argv: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<number> => {
  try {
    const target = newTarget();
    const { registry, replays } = target;
    await program({ terminal, registry, replays }, target).parseAsync(argv);
    return exitCodes.done;
  } catch (fault) {
    return reportFailure(fault, terminal);
  }
};
