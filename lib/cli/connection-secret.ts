import { Command, Option } from 'commander';
import { revokeSecret, rotateSecret } from '../app/registry/connections.ts';
import type { SecretSlot } from '../domain/registry/credential.ts';
import type { CommandContext, CommonOptions } from './command-context.ts';
import { common } from './common.ts';
import { Refused } from './exit-codes.ts';
import { overlap } from './options.ts';
import { printRecord } from './print.ts';
import { printIssued } from './print-issued.ts';
import { connectionRecord } from './records.ts';

interface SecretOptions extends CommonOptions {
  readonly issue?: true;
  readonly rotate?: true;
  readonly revoke?: SecretSlot | 'all';
  readonly overlap: number;
}

const revoke = async (context: CommandContext, id: string, options: SecretOptions): Promise<void> => {
  const ports = context.registry(options.data);
  const result = await revokeSecret(ports, id, options.revoke ?? 'all');
  if (result.kind === 'declined') throw new Refused(result.reason);
  printRecord(context.terminal, connectionRecord(result, ports.queueAdmin.url), options.json);
};

/** `sombus connection secret`: a new secret, or the end of one. */
export const secretCommand = (context: CommandContext): Command =>
  common(new Command('secret').argument('<id>'))
    .description('give a connection a new secret, shown once, or end one; older tokens stop working')
    .addOption(new Option('--issue', 'the old secret stops at once').conflicts(['rotate', 'revoke']))
    .addOption(new Option('--rotate', 'the old secret works on for the overlap').conflicts('revoke'))
    .addOption(
      new Option('--revoke <which>', 'end a secret at once, without a new one').choices([
        'current',
        'previous',
        'all',
      ]),
    )
    .addOption(
      new Option('--overlap <time>', 'how long the old secret works on: 0s to 30d')
        .argParser(overlap)
        .default(overlap('24h'), '24h'),
    )
    .action(async (id: string, options: SecretOptions, command: Command) => {
      if (options.revoke) return revoke(context, id, options);
      if (!options.issue && !options.rotate)
        command.error('error: one of --issue, --rotate and --revoke is needed');
      const ports = context.registry(options.data);
      const result = await rotateSecret(ports, id, options.rotate ? options.overlap : 0);
      printIssued(context, ports, options.json)(result);
    });
