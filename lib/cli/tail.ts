import { Command, InvalidArgumentError } from 'commander';
import { limits } from '../contract/limits.ts';
import { isJsonObject } from '../domain/message/json-object.ts';
import { type AccountOptions, accountOptions, busAccount } from './bus-account.ts';
import { type BusSession, openSession, reasonOf } from './bus-session.ts';
import type { CommandContext } from './command-context.ts';
import { Refused } from './exit-codes.ts';

interface TailOptions extends AccountOptions {
  readonly ack: boolean;
  readonly wait: number;
  readonly count: number;
}

const whole = (least: number, most: number) => (text: string) => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new InvalidArgumentError(`This is a whole number from ${least} to ${most}.`);
  return value;
};

const called = async (session: BusSession, path: string, body?: string): Promise<readonly unknown[]> => {
  const answer = await session.call(path, body);
  if (answer.status !== 200) throw new Refused(reasonOf(answer));
  const { messages } = answer.body;
  return Array.isArray(messages) ? messages : [];
};

const handleOf = (record: unknown): string =>
  isJsonObject(record) ? String(record['receipt_handle'] ?? '') : '';

/** Pulls once, prints, and acknowledges what was printed if asked to; answers with how many came. */
const pullOnce = async (
  session: BusSession,
  options: TailOptions,
  print: (line: string) => void,
): Promise<number> => {
  const queue = `consumers/${session.connection}`;
  const max = Math.min(options.count, limits.pullMessages.most);
  const records = await called(session, `${queue}/messages?max=${max}&wait=${options.wait}`);
  for (const record of records) print(JSON.stringify(record));
  if (options.ack && records.length > 0)
    await called(session, `${queue}/ack`, JSON.stringify({ receipt_handles: records.map(handleOf) }));
  return records.length;
};

/** `sombus tail [--ack]`: one JSON line per message, until `--count` came or the command is stopped. */
export const tailCommand = ({ terminal }: CommandContext): Command =>
  accountOptions(new Command('tail'))
    .description('print what arrives, one JSON line each; without --ack it comes again after a minute')
    .option('--ack', 'acknowledge what was printed', false)
    .option(
      '--wait <seconds>',
      'long poll',
      whole(0, limits.pullWaitSeconds.most),
      limits.pullWaitSeconds.most,
    )
    .option('--count <messages>', 'stop after so many', whole(1, 999_999_999), 999_999_999)
    .option('--once', 'pull once, then stop', false)
    .action(async (options: TailOptions & { readonly once: boolean }) => {
      const account = busAccount(options, 'consumer', process.env);
      const line = (text: string): void => terminal.out(text);
      let session = await openSession(account);
      let openedAt = Date.now();
      let left = options.count;
      do {
        if (Date.now() - openedAt > (limits.accessTokenSeconds / 2) * 1000) {
          session = await openSession(account);
          openedAt = Date.now();
        }
        left -= await pullOnce(session, { ...options, count: left }, line);
      } while (left > 0 && !options.once);
    });
