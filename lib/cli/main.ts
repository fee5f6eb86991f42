import { Command, Help, type Option } from 'commander';
import { version } from '../../package.json';
import { nearest } from '../platform/json/nearest.ts';
import { awsCommand } from './deployment/aws.ts';
import { doctorCommand } from './deployment/doctor.ts';
import { checkCommand } from './developer/check.ts';
import { demoCommand, exampleCommand } from './developer/demo.ts';
import { devCommand, execCommand, portalCommand } from './developer/dev.ts';
import { executorCommand } from './developer/executor.ts';
import { expectCommand } from './developer/expect.ts';
import { faultsCommand } from './developer/faults.ts';
import { publishCommand, tailCommand, traceCommand } from './developer/messages.ts';
import { newsroomCommand } from './developer/newsroom.ts';
import { playCommand, recordCommand } from './developer/record.ts';
import { skillCommand } from './developer/skills.ts';
import { storyCommand } from './developer/story.ts';
import {
  type CommandContext,
  type CommandGroup,
  type CommandSpec,
  commandOf,
} from './frame/command.ts';
import { exitCodes, failureMessage, reportFailure } from './frame/failures.ts';
import { nearestData } from './frame/options.ts';
import { curlCommand, envCommand } from './frame/shell.ts';
import { type CommandTarget, newTarget } from './frame/target.ts';
import { processTerminal, type Terminal } from './frame/terminal.ts';
import { connectionCommand } from './operator/connections.ts';
import { idpCommand, principalCommand, roleCommand } from './operator/identities.ts';
import { keysCommand } from './operator/keys.ts';
import { partyCommands } from './operator/parties.ts';
import { inviteCommand, memberCommand } from './operator/people.ts';
import { queueCommand } from './operator/queue.ts';
import { limitsCommand, quotaCommand } from './operator/quota.ts';
import { replayCommand } from './operator/replay.ts';

const commands: readonly (CommandSpec | CommandGroup)[] = [
  devCommand,
  execCommand,
  demoCommand,
  newsroomCommand,
  executorCommand,
  envCommand,
  curlCommand,
  exampleCommand,
  doctorCommand,
  publishCommand,
  tailCommand,
  expectCommand,
  faultsCommand,
  recordCommand,
  playCommand,
  traceCommand,
  portalCommand,
  ...partyCommands,
  memberCommand,
  inviteCommand,
  connectionCommand,
  quotaCommand,
  queueCommand,
  replayCommand,
  storyCommand,
  checkCommand,
  keysCommand,
  principalCommand,
  roleCommand,
  idpCommand,
  skillCommand,
  limitsCommand,
  awsCommand,
];

export const program = (context: CommandContext): Command => {
  const root = new Command('sombus')
    .description('som-bus: a message bus for testing SOM 1.0 messages')
    .version(version)
    .hook('preAction', (_root, action) => refuseEmptyVariables(action))
    .hook('preAction', (_root, action) => useNearestData(action))
    .hook('preAction', (_root, action) => context.choose(action.opts()));
  for (const command of commands) root.addCommand(commandOf(command, context));
  root.addCommand(helpCommand(root));
  return strict(root, context.terminal);
};

/** Flags are off and lists are empty by default: the help text need not say so. */
const optionDescription = (option: Option): string => {
  const { defaultValue } = option;
  const isPlain =
    defaultValue === false || (Array.isArray(defaultValue) && defaultValue.length === 0);
  if (isPlain) return option.description;
  return new Help().optionDescription(option);
};

const namesOf = (command: Command): readonly string[] => [command.name(), ...command.aliases()];

const helpCommand = (root: Command): Command =>
  new Command('help')
    .argument('[command...]')
    .description('display help for a command')
    .action((names: readonly string[], _options: object, help: Command) => {
      let shown = root;
      for (const name of names) {
        const next = shown.commands.find(command => namesOf(command).includes(name));
        const meant = nearest(name, shown.commands.flatMap(namesOf));
        if (!next)
          return help.error(
            `error: unknown command '${name}'${meant === undefined ? '' : ` (Did you mean ${meant}?)`}`,
          );
        shown = next;
      }
      return shown.help();
    });

/**
 * What is wrong with the value of an option or argument if a shell variable in the command line was
 * empty; undefined otherwise.
 */
const emptyVariable = (command: Command): string | undefined => {
  const flags = command.options.flatMap(({ long, short }) => [long, short]);
  const values = command.opts<Readonly<Record<string, unknown>>>();
  const option = command.options.find(one => {
    const value = values[one.attributeName()];
    return value === '' || (typeof value === 'string' && flags.includes(value));
  });
  if (option) return `error: ${option.long} has no value`;
  const name = command.registeredArguments[command.args.indexOf('')]?.name();
  if (name === undefined) return undefined;
  return `error: the argument <${name}> is empty`;
};

/** A shell passes nothing, or an empty text, for a variable that was never set. */
const refuseEmptyVariables = (command: Command): void => {
  const error = emptyVariable(command);
  if (error !== undefined) command.error(`${error}: ${variableHint}`);
};

/**
 * A data folder is found from a folder below it, as git finds its repository; `dev` makes its own
 * where it is run.
 */
const useNearestData = (command: Command): void => {
  if (command.name() !== 'dev' && command.getOptionValueSource('data') === 'default')
    command.setOptionValue('data', nearestData(process.cwd()));
};

const variableHint = 'is a variable in the command line empty or not set?';

const errorLine = (text: string): string => {
  const line = text.trim().replaceAll('\n', ' ');
  if (/missing required argument|argument missing/.test(line)) return `${line}: ${variableHint}`;
  return line;
};

/**
 * For a command and its subcommands: errors are thrown and printed as one sentence, and excess
 * arguments are errors.
 */
const strict = (command: Command, terminal: Terminal): Command => {
  command.configureHelp({ optionDescription });
  command.exitOverride().allowExcessArguments(false);
  command.configureOutput({
    writeOut: text => text.replace(/\n$/, '').split('\n').forEach(terminal.out),
    outputError: text => terminal.error(errorLine(text)),
  });
  for (const one of command.commands) strict(one, terminal);
  return command;
};

/**
 * The id of a key is base64url (RFC 7638): one in 64 begins with a dash, and would be read as an
 * option.
 */
const withKeyIds = (argv: readonly string[]): readonly string[] => {
  const isKeyId = (text: string) => /^-[\w-]{42}$/.test(text);
  if (argv[2] !== 'keys' || !argv.some(isKeyId)) return argv;
  return [...argv.filter(text => !isKeyId(text)), '--', ...argv.filter(isKeyId)];
};

/** The exit code, once everything is written. A command whose output is lost has failed. */
const ended = async (code: number, terminal: Terminal): Promise<number> => {
  const error = await terminal.writeError();
  if (error === undefined) return code;
  terminal.error(`failed: standard output cannot be written: ${failureMessage(error)}`);
  return code === exitCodes.done ? exitCodes.usage : code;
};

export const main = async (
  argv: readonly string[],
  terminal: Terminal = processTerminal(),
  target: CommandTarget = newTarget(),
): Promise<number> => {
  const done = program({ ...target, terminal }).parseAsync(withKeyIds(argv));
  const code = await done.then(
    () => exitCodes.done,
    (error: unknown) => reportFailure(error, terminal),
  );
  return ended(code, terminal);
};
