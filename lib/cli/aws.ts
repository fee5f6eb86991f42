import { Command, Option } from 'commander';
import { environments } from '../contract/environments.ts';
import { firstOperatorCommand } from './aws-operator.ts';
import { probeCommand } from './aws-probe.ts';
import { restoreCommand } from './aws-restore.ts';
import { rollbackCommand } from './aws-rollback.ts';
import type { CommandContext } from './command.ts';
import { jsonOption } from './options.ts';

const onAws = (command: Command): Command =>
  jsonOption(
    command.addOption(
      new Option('--environment <name>', 'the deployed environment, in the account and region of your shell')
        .choices(Object.keys(environments))
        .makeOptionMandatory(),
    ),
  );

export const awsCommand = (context: CommandContext): Command =>
  new Command('aws')
    .description('what only a deployed environment needs')
    .addCommand(firstOperatorCommand(context, onAws))
    .addCommand(probeCommand(context, onAws))
    .addCommand(restoreCommand(context, onAws))
    .addCommand(rollbackCommand(context, onAws));
