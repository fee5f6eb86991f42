import { readFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { program } from '../../lib/cli/main.ts';
import { targetOf } from '../support/commands.ts';
import { recordingTerminal } from '../support/fakes/terminal.ts';

/** What an option says of a value that it does not take; nothing if it takes any. */
const refusalOf = ({ argChoices, parseArg }: Option): readonly string[] => {
  if (argChoices !== undefined || parseArg === undefined) return [];
  try {
    parseArg('?', []);
    return [];
  } catch (error) {
    return [`refuses "?": ${(error as Error).message}`];
  }
};

/** What commander keeps of an option and shows to nobody. */
const conflictsOf = (option: Option): readonly string[] => {
  const { conflictsWith } = option as Option & { readonly conflictsWith: readonly string[] };
  return conflictsWith.length === 0 ? [] : [`not with ${conflictsWith.join(', ')}`];
};

/** The value that a default has, where the help has words for it. */
const defaultOf = ({ defaultValue, defaultValueDescription }: Option): readonly string[] =>
  defaultValueDescription === undefined ? [] : [`by default ${defaultValue}`];

/** A command as its help shows it, each option on one line, and what the help does not say. */
const described = (command: Command): readonly string[] => {
  const help = command.createHelp();
  const written: string[] = [];
  command.configureOutput({ writeOut: text => written.push(text) });
  command.outputHelp();
  const options = command.options.flatMap(option => [
    `  ${help.optionTerm(option)}  ${help.optionDescription(option)}`,
    ...(option.mandatory ? ['    required'] : []),
    ...[defaultOf, conflictsOf, refusalOf].flatMap(of => of(option)).map(line => `    ${line}`),
  ]);
  const named = command.registeredArguments.map(argument =>
    `  ${argument.name()}  ${help.argumentDescription(argument)}`.trimEnd(),
  );
  const after = written.join('').slice(command.helpInformation().length).trim();
  return [
    help.commandUsage(command),
    `  ${command.description()}`,
    ...named,
    ...options,
    ...(after === '' ? [] : after.split('\n')),
    '',
    ...command.commands.flatMap(described),
  ];
};

test('the command line is as it is written down: its commands, and all that each one takes', () => {
  const written = readFileSync('test/cli/command-tree.txt', 'utf8').split('\n');
  const root = program({ ...targetOf({}), ...recordingTerminal() });
  expect(described(root)).toEqual(written);
});
