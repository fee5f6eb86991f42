import { Command } from 'commander';
import { registerPrincipal, revokePrincipal } from '../app/registry/principals.ts';
import type { Principal } from '../domain/registry/principal.ts';
import type { ReadersSet } from '../ports/queue-readers.ts';
import type { CommandContext, CommonOptions } from './command-context.ts';
import { common } from './common.ts';
import { Refused } from './exit-codes.ts';
import { printRecord, printTable } from './print.ts';
import { type ScopeOptions, scoped, scopeOf } from './scope.ts';
import type { Terminal } from './terminal.ts';

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
