import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { createLocalRole } from '../local/access-keys.ts';
import { dataFiles } from '../local/data-files.ts';
import { accessKeyRecord } from '../local/demo-role.ts';
import { localPlace } from '../local/engines/local-place.ts';
import { signedService } from '../local/sigv4/verify-request.ts';
import { StartRefusal } from '../local/start-refusal.ts';
import type { CommandContext, CommonOptions } from './command-context.ts';
import { dataOption } from './options.ts';
import { printRecord } from './print.ts';

interface CreateOptions extends CommonOptions {
  readonly local?: true;
  readonly name: string;
  readonly path: string;
}

const roleName = (text: string): string => {
  if (!/^[\w+=,.@-]{1,64}$/.test(text))
    throw new InvalidArgumentError("A role's name has 1 to 64 letters, digits and +=,.@_-.");
  return text;
};

const rolePath = (text: string): string => {
  if (!/^\/(?:[\w+=,.@-]+\/)*$/.test(text))
    throw new InvalidArgumentError("A role's path begins and ends with a slash, like /newsroom/.");
  return text;
};

const createCommand = ({ terminal }: CommandContext): Command =>
  dataOption(new Command('create'))
    .description('make a cloud role of the local service; its credentials are shown once')
    .option('--json', 'print JSON', false)
    .option('--local', 'for the local service (roles of AWS are made in AWS IAM)')
    .requiredOption('--name <name>', 'the name of the role', roleName)
    .option('--path <path>', 'the path of the role', rolePath, '/')
    .action(({ local, name, path, data, json }: CreateOptions, command: Command) => {
      if (!local)
        command.error('error: roles of AWS are made in AWS IAM; --local makes one for this machine');
      if (!existsSync(join(data, dataFiles.marker)))
        throw new StartRefusal(
          `The folder ${data} is no data folder: start it with "sombus dev --data ${data}".`,
        );
      const key = createLocalRole(data, { name, path });
      printRecord(
        terminal,
        { ...accessKeyRecord(key), region: localPlace.region, service: signedService },
        json,
      );
    });

/** `sombus role create --local`. */
export const roleCommand = (context: CommandContext): Command =>
  new Command('role')
    .description('cloud roles of the local service, to sign requests with')
    .addCommand(createCommand(context));
