import { Command, Option } from 'commander';
import { changePermissions } from '../app/registry/change-permissions.ts';
import type { PermissionChange } from '../ports/operator/connections.ts';
import type { CommandContext, CommonOptions } from './command-context.ts';
import { common } from './common.ts';
import { Refused } from './exit-codes.ts';
import { type PermissionOptions, permissionOptions } from './permission-options.ts';
import { printRecord } from './print.ts';
import { connectionRecord } from './records.ts';

interface PermitOptions extends CommonOptions, PermissionOptions {
  readonly everySource?: true;
}

const given = <Name extends keyof PermissionChange>(name: Name, list: readonly string[]) =>
  list.length > 0 ? { [name]: list } : {};

const changeOf = ({ systemId, grant, receive, source, everySource }: PermitOptions): PermissionChange => ({
  ...given('systemIds', systemId),
  ...given('grants', grant),
  ...given('receives', receive),
  ...given('sources', source),
  ...(everySource ? { sources: [] } : {}),
});

/** `sombus connection permit`: other permissions for a connection, with the credentials it has. */
export const permitCommand = (context: CommandContext): Command =>
  permissionOptions(common(new Command('permit').argument('<id>')))
    .description('replace what a connection may send or receives; what is left out stays as it is')
    .addOption(new Option('--every-source', 'consumer: messages of every system').conflicts('source'))
    .action(async (id: string, options: PermitOptions, command: Command) => {
      const change = changeOf(options);
      if (Object.keys(change).length === 0)
        command.error(
          'error: name what it may send (--system-id, --grant) or receives (--receive, --source, --every-source)',
        );
      const ports = context.registry(options.data);
      const result = await changePermissions(ports, id, change);
      if (result.kind === 'declined') throw new Refused(result.reason);
      printRecord(context.terminal, connectionRecord(result, ports.queueAdmin.url), options.json);
    });
