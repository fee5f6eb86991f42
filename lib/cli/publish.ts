import { Command } from 'commander';
import { type AccountOptions, accountOptions, busAccount } from './bus-account.ts';
import { openSession, refusalOf } from './bus-session.ts';
import type { CommandContext } from './command-context.ts';
import { Refused } from './exit-codes.ts';
import { inputBytes } from './input-bytes.ts';

/** `sombus publish FILE|- [--dry-run]`: sends the bytes of the file as they are. */
export const publishCommand = ({ terminal }: CommandContext): Command =>
  accountOptions(new Command('publish').argument('<file>', 'a message, or - for standard input'))
    .description('publish one message; the answer is printed as JSON')
    .option('--dry-run', 'only ask what a publish would answer', false)
    .action(async (file: string, options: AccountOptions & { readonly dryRun: boolean }) => {
      const bytes = inputBytes(file);
      const session = await openSession(busAccount(options, 'producer', process.env));
      const answer = await session.call(options.dryRun ? 'validate' : 'messages', bytes);
      terminal.out(JSON.stringify(answer.body));
      if (answer.body['accepted'] !== true) throw new Refused(refusalOf(answer));
    });
