import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { localAccount } from '../engines/machine.ts';
import { dataFiles } from '../local/data-folder.ts';
import { accessKeyRecord, createLocalRole } from '../local/roles.ts';
import { signedService } from '../local/sigv4.ts';
import { StartRefusal } from '../local/start-refusal.ts';
import type { Principal } from '../registry/principals.ts';
import type { ReadersSet } from '../registry/queue-access.ts';
import { registerPrincipal, revokePrincipal } from '../registry/register-principal.ts';
import { accepted, type CommandContext, newNotes, Refused, type Terminal } from './command.ts';
import {
  type CommonOptions,
  common,
  dataOption,
  jsonOption,
  type ScopeOptions,
  scoped,
  scopeOf,
} from './options.ts';
import { printRecord, printTable } from './print.ts';

interface RegisterOptions extends CommonOptions, ScopeOptions {
  readonly connection: string;
  readonly roleArn: string;
}

const record = ({ id, connection, roleArn, status, createdAt, verifiedAt }: Principal): object => ({
  principal_id: id,
  connection_id: connection,
  role_arn: roleArn,
  status,
  created_at: createdAt,
  verified_at: verifiedAt ?? null,
});

/** Warns if the change leaves the connection's other roles unable to read their queue. */
const warnOfQueue = (terminal: Terminal, queue: ReadersSet | undefined): void => {
  if (queue === 'refused')
    terminal.error(
      'note: another verified role of this connection no longer exists in AWS: no role can read the queue until it is revoked.',
    );
};

const registerCommand = ({ terminal, registry }: CommandContext): Command =>
  scoped(common(new Command('register')))
    .description(
      'register a cloud role for a connection; its challenge is shown once and valid for 15 minutes',
    )
    .requiredOption('--connection <id>', 'the connection the role acts as')
    .requiredOption('--role-arn <arn>', 'ARN of the role, such as arn:aws:iam::123456789012:role/name')
    .action(async (options: RegisterOptions, command: Command) => {
      const { connection, roleArn, data, json } = options;
      const wanted = { connection, roleArn };
      const ports = registry(data);
      const result = accepted(await registerPrincipal(ports, scopeOf(options, command), wanted));
      await newNotes(terminal, ports).onId(connection, 'role.register', { role: roleArn });
      const { principal, challenge } = result;
      const until = principal.challenge && new Date(principal.challenge.until).toISOString();
      const shown = challenge === undefined ? {} : { challenge, challenge_until: until };
      printRecord(terminal, { ...record(principal), ...shown }, json);
      warnOfQueue(terminal, result.queue);
    });

const listCommand = ({ terminal, registry }: CommandContext): Command =>
  scoped(common(new Command('list').description('list registered roles'))).action(
    async (options: CommonOptions & ScopeOptions, command: Command) => {
      const principals = await registry(options.data).principals.list(scopeOf(options, command));
      printTable(terminal, principals.map(record), options.json);
    },
  );

const revokeCommand = ({ terminal, registry }: CommandContext): Command =>
  scoped(common(new Command('revoke').argument('<id>').description('revoke a registered role'))).action(
    async (id: string, options: CommonOptions & ScopeOptions, command: Command) => {
      const ports = registry(options.data);
      const revoked = await revokePrincipal(ports, scopeOf(options, command), id);
      if (!revoked) throw new Refused(`There is no principal ${id} in this scope.`);
      const { connection, roleArn } = revoked.principal;
      await newNotes(terminal, ports).onId(connection, 'role.end', { role: roleArn });
      printRecord(terminal, record(revoked.principal), options.json);
      warnOfQueue(terminal, revoked.queue);
    },
  );

export const principalCommand = (context: CommandContext): Command => {
  const command = new Command('principal').description('principals: cloud roles that act as connections');
  for (const make of [registerCommand, listCommand, revokeCommand]) command.addCommand(make(context));
  return command;
};

interface CreateOptions extends CommonOptions {
  readonly local?: true;
  readonly name: string;
  readonly path: string;
}

const roleName = (text: string): string => {
  if (!/^[\w+=,.@-]{1,64}$/.test(text))
    throw new InvalidArgumentError("A role's name is 1 to 64 letters, digits or characters of +=,.@_-");
  return text;
};

const rolePath = (text: string): string => {
  if (!/^\/(?:[\w+=,.@-]+\/)*$/.test(text))
    throw new InvalidArgumentError("A role's path begins and ends with a slash, such as /newsroom/.");
  return text;
};

const createCommand = ({ terminal }: CommandContext): Command =>
  jsonOption(dataOption(new Command('create')))
    .description('create a cloud role in the local service; its credentials are shown once')
    .option('--local', 'required: create it in the local service (for AWS, use IAM)')
    .requiredOption('--name <name>', 'name of the role', roleName)
    .option('--path <path>', 'path of the role', rolePath, '/')
    .action(({ local, name, path, data, json }: CreateOptions, command: Command) => {
      if (!local) command.error('error: --local is required; for AWS, create the role in IAM');
      if (!existsSync(join(data, dataFiles.marker)))
        throw new StartRefusal(
          `The folder ${data} is not a data folder: start the service on it with "sombus dev --data ${data}".`,
        );
      const key = createLocalRole(data, { name, path });
      printRecord(
        terminal,
        { ...accessKeyRecord(key), region: localAccount.region, service: signedService },
        json,
      );
    });

export const roleCommand = (context: CommandContext): Command =>
  new Command('role')
    .description('cloud roles in the local service that can sign requests')
    .addCommand(createCommand(context));
