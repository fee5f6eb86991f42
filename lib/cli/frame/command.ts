import { Command, type Option } from 'commander';
import { type ChangeNote, noteChange, noteForAll } from '../../access/people/noting.ts';
import type { Connection } from '../../access/registry/connection.ts';
import type { NotRecorded } from '../../contract/portal/work-responses.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { accountHelp, accountOptions } from './account.ts';
import {
  type CommandOptions,
  dataOption,
  environmentOption,
  jsonOption,
  type OptionsOf,
} from './options.ts';
import type { CommandTarget } from './target.ts';
import { print, printOnce, type Terminal } from './terminal.ts';

export interface CommandContext extends CommandTarget {
  readonly terminal: Terminal;
}

/** Notes the changes of the operator's command line, as the portal notes those of people. */
export const newNotes = (
  terminal: Terminal,
  ports: Pick<OperatorPorts, 'caller' | 'changes' | 'clock' | 'connections' | 'directory'>,
) => {
  const hostOf = async (workspace: string): Promise<readonly string[]> => {
    const host = await ports.directory.find('workspace', workspace);
    if (host?.kind === 'workspace') return [host.organisation];
    return [];
  };
  const warn = ({ not_recorded }: NotRecorded) => {
    if (not_recorded) terminal.error('note: the change was made, but could not be recorded.');
  };
  const change = async (noted: ChangeNote) =>
    warn(await noteChange(ports, await ports.caller(), noted));
  const on = async (
    connection: Connection,
    what: ChangeNote['what'],
    facts: ChangeNote['facts'] = {},
  ): Promise<void> => {
    const { id, workspace, organisation } = connection;
    const organisations = [organisation, ...(await hostOf(workspace))];
    const about = { workspace, connection: id, ...facts };
    warn(await noteForAll(ports, await ports.caller(), { organisations, what, facts: about }));
  };
  return {
    change,
    on,
    async inWorkspace(
      workspace: string,
      what: ChangeNote['what'],
      facts: ChangeNote['facts'] = {},
    ) {
      for (const organisation of await hostOf(workspace))
        await change({ organisation, what, facts: { workspace, ...facts } });
    },
    async onId(id: string, what: ChangeNote['what'], facts: ChangeNote['facts'] = {}) {
      const known = await ports.connections.find(id);
      if (known) await on(known.connection, what, facts);
    },
  };
};

export type Notes = ReturnType<typeof newNotes>;

type NoOptions = Readonly<Record<never, Option>>;

/**
 * One run of a command: its options, and what it works on, which is opened when it is first asked
 * for.
 */
export interface CommandRun<Options = OptionsOf<NoOptions>> {
  readonly options: Options & OptionsOf<(typeof targets)['operator'] & (typeof targets)['account']>;
  readonly terminal: Terminal;
  readonly ports: OperatorPorts;
  readonly notes: Notes;
  print(records: object): void;
  /** Prints what nobody can print again. @param another how to get another one */
  printOnce(records: object, another: string): Promise<void>;
  /** Ends the command: its command line is wrong. */
  misused(problem: string): never;
}

/** What a command works on, by the options that name it. */
const targets = {
  /** The local service or a deployed environment, with the operator's rights. */
  operator: { data: dataOption, environment: environmentOption, json: jsonOption },
  /** A bus, as one of its connections. */
  account: accountOptions,
  folder: { data: dataOption },
  none: {},
};

export interface CommandSpec<Options extends CommandOptions = NoOptions> {
  /** Its name and arguments, such as `show <id>`. */
  readonly usage: string;
  readonly description: string;
  /** Absent: `operator`. */
  readonly target?: keyof typeof targets;
  readonly options?: Options;
  /** What an argument is, by its name. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** Follows the options in the help text. */
  readonly help?: string;
  /** What it resolves with is printed, if it is an object or a list. */
  run(call: CommandRun<OptionsOf<Options>>, ...args: readonly string[]): unknown;
}

/** A command whose `run` gets what its options give. */
export const command = <Options extends CommandOptions>(spec: CommandSpec<Options>): CommandSpec =>
  spec;

export interface CommandGroup {
  readonly name: string;
  readonly alias?: string;
  readonly description: string;
  readonly commands: readonly CommandSpec[];
}

const callOf = (command: Command, { terminal, registry }: CommandContext): CommandRun => {
  const options = command.opts<CommandRun['options']>();
  return {
    options,
    terminal,
    get ports() {
      return registry(options.data);
    },
    get notes() {
      return newNotes(terminal, registry(options.data));
    },
    print: records => print(terminal, records, options.json),
    printOnce: (records, another) => printOnce(terminal, records, { json: options.json, another }),
    misused: problem => command.error(`error: ${problem}`),
  };
};

const leafOf = (spec: CommandSpec, context: CommandContext): Command => {
  const { usage, target = 'operator', help = '' } = spec;
  const options: CommandOptions = { ...targets[target], ...spec.options };
  const [name, ...args] = usage.split(' ');
  const command = new Command(name).description(spec.description);
  for (const arg of args) command.argument(arg, spec.arguments?.[arg.replaceAll(/[^\w-]/g, '')]);
  for (const [name, option] of Object.entries(options)) {
    // A command would read what commander never sets.
    if (option.attributeName() !== name) throw new Error(`${option.flags} does not set ${name}.`);
    command.addOption(option);
  }
  if (target === 'account') command.addHelpText('after', accountHelp);
  return command.addHelpText('after', help).action(async () => {
    const call = callOf(command, context);
    const result = await spec.run(call, ...command.processedArgs);
    if (typeof result === 'object' && result !== null) call.print(result);
  });
};

export const commandOf = (spec: CommandSpec | CommandGroup, context: CommandContext): Command => {
  if (!('commands' in spec)) return leafOf(spec, context);
  const group = new Command(spec.name).description(spec.description);
  if (spec.alias) group.alias(spec.alias);
  for (const one of spec.commands) group.addCommand(leafOf(one, context));
  return group;
};
