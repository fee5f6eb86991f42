import { setTimeout } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { limits } from '../contract/limits.ts';
import { type AccountOptions, accountOptions, busAccount } from './account.ts';
import { type CommandContext, inputBytes, Refused } from './command.ts';
import { wholeNumber } from './options.ts';
import { type BusSession, openSession, receiptsOf, recordsOf, refusalOf, steadySession } from './session.ts';

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

interface TailOptions extends AccountOptions {
  readonly ack: boolean;
  readonly wait: number;
  readonly count: number;
}

type Deliver = CommandContext['terminal']['deliver'];

const called = async (session: BusSession, path: string, body?: string): Promise<readonly unknown[]> => {
  const answer = await session.call(path, body);
  if (answer.status !== 200) throw new Refused(refusalOf(answer));
  return recordsOf(answer);
};

const settle = (session: BusSession, how: 'ack' | 'nack', records: readonly unknown[]) =>
  called(session, `consumers/${session.connection}/${how}`, receiptsOf(records));

/**
 * Pulls once, and prints. With `ack`, each message is acknowledged once it is written and before the next one is: a reader
 * that takes one line and goes (`| head -1`) has emptied the pipe of all that was in it. What nobody reads is given back.
 *
 * @returns how many were printed, and whether there is still a reader
 */
const pullOnce = async (session: BusSession, { ack, wait, count }: TailOptions, deliver: Deliver) => {
  const max = Math.min(count, limits.pullMessages.max);
  const records = await called(session, `consumers/${session.connection}/messages?max=${max}&wait=${wait}`);
  for (const [index, record] of records.entries()) {
    if (!(await deliver(JSON.stringify(record)))) {
      await settle(session, 'nack', records.slice(index));
      return { printed: index, isRead: false };
    }
    if (ack) await settle(session, 'ack', [record]);
  }
  return { printed: records.length, isRead: true };
};

const nothing = (wait: number): string => (wait === 0 ? 'nothing waits' : `nothing arrived within ${wait} s`);

/** `sombus tail [--ack]`: one JSON line per message, until `--count` came or the command is stopped. */
export const tailCommand = ({ terminal }: CommandContext): Command =>
  accountOptions(new Command('tail'))
    .description('print what arrives, one JSON line each; without --ack it comes again after a minute')
    .option('--ack', 'acknowledge what was printed', false)
    .option(
      '--wait <seconds>',
      'long poll',
      wholeNumber(0, limits.pullWaitSeconds.max),
      limits.pullWaitSeconds.max,
    )
    .addOption(
      new Option('--count <messages>', 'stop after so many')
        .argParser(wholeNumber(1, 999_999_999))
        .default(999_999_999, 'no end'),
    )
    .option('--once', 'pull once, then stop', false)
    .action(async (options: TailOptions & { readonly once: boolean }) => {
      const account = busAccount(options, 'consumer', process.env);
      const session = await steadySession(account, {
        pause: seconds => setTimeout(seconds * 1000),
        say: line => terminal.error(line),
      });
      let left = options.count;
      let isRead = true;
      do {
        const pulled = await pullOnce(session, { ...options, count: left }, terminal.deliver);
        left -= pulled.printed;
        isRead = pulled.isRead;
      } while (isRead && left > 0 && !options.once);
      if (isRead && left === options.count) terminal.error(nothing(options.wait));
    });
