import { Command, Option } from 'commander';
import { environments } from '../contract/environments.ts';
import { firstOperatorCommand } from './aws-operator.ts';
import type { CommandContext } from './command.ts';
import { defaultData } from './options.ts';

/** These commands work on AWS alone. They have the hidden option of the others, by which these find their environment. */
const onAws = (command: Command): Command =>
  command
    .addOption(
      new Option('--environment <name>', 'the deployed environment, in the account and region of your shell')
        .choices(Object.keys(environments))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--data <folder>').default(defaultData).hideHelp());

/** `sombus aws first-operator`. */
export const awsCommand = (context: CommandContext): Command =>
  new Command('aws')
    .description('what only a deployed environment needs')
    .addCommand(firstOperatorCommand(context, onAws));
