import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { localPlace } from '../engines/files.ts';
import { dataFiles } from '../local/data-folder.ts';
import { StartRefusal } from '../local/env.ts';
import { accessKeyRecord, createLocalRole } from '../local/roles.ts';
import { signedService } from '../local/sigv4.ts';
import type { Principal } from '../registry/principals.ts';
import type { ReadersSet } from '../registry/queue-access.ts';
import { registerPrincipal, revokePrincipal } from '../registry/register-principal.ts';
import { type CommandContext, type CommonOptions, common, Refused, type Terminal } from './command.ts';
import { dataOption, type ScopeOptions, scoped, scopeOf } from './options.ts';
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

/** What became of the connection's other roles, where something did. */
const tellOfQueue = (terminal: Terminal, queue: ReadersSet | undefined): void => {
  if (queue === 'refused')
    terminal.error(
      'note: AWS does not know another verified role of this connection: until that one is revoked, no role reads the queue.',
    );
};

const registerCommand = ({ terminal, registry }: CommandContext): Command =>
  scoped(common(new Command('register')))
    .description('register a cloud role on a connection; its challenge is shown once, for 15 minutes')
    .requiredOption('--connection <id>', 'the connection it acts for')
    .requiredOption('--role-arn <arn>', 'the role, like arn:aws:iam::123456789012:role/name')
    .action(async (options: RegisterOptions, command: Command) => {
      const { connection, roleArn, data, json } = options;
      const wanted = { connection, roleArn };
      const result = await registerPrincipal(registry(data), scopeOf(options, command), wanted);
      if (result.kind === 'declined') throw new Refused(result.reason);
      const { principal, challenge } = result;
      const until = principal.challenge && new Date(principal.challenge.until).toISOString();
      const shown = challenge === undefined ? {} : { challenge, challenge_until: until };
      printRecord(terminal, { ...record(principal), ...shown }, json);
      tellOfQueue(terminal, result.queue);
    });

const listCommand = ({ terminal, registry }: CommandContext): Command =>
  scoped(common(new Command('list'))).action(
    async (options: CommonOptions & ScopeOptions, command: Command) => {
      const principals = await registry(options.data).principals.list(scopeOf(options, command));
      printTable(terminal, principals.map(record), options.json);
    },
  );

const revokeCommand = ({ terminal, registry }: CommandContext): Command =>
  scoped(common(new Command('revoke').argument('<id>'))).action(
    async (id: string, options: CommonOptions & ScopeOptions, command: Command) => {
      const revoked = await revokePrincipal(registry(options.data), scopeOf(options, command), id);
      if (!revoked) throw new Refused(`There is no principal ${id} there.`);
      printRecord(terminal, record(revoked.principal), options.json);
      tellOfQueue(terminal, revoked.queue);
    },
  );

/** `sombus principal register|list|revoke`. */
export const principalCommand = (context: CommandContext): Command => {
  const command = new Command('principal').description('cloud roles that act for connections');
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
