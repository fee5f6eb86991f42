import { type Command, Option } from 'commander';
import { environments } from '../contract/environments.ts';
import { dataOption } from './options.ts';

/** The options of every registry command. */
export const common = (command: Command): Command =>
  dataOption(command)
    .addOption(
      new Option(
        '--environment <name>',
        'a deployed environment instead, with the AWS credentials and region of the shell',
      ).choices(Object.keys(environments)),
    )
    .option('--json', 'print JSON', false);
