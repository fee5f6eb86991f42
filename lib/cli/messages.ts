import { Command, Option } from 'commander';
import { limits } from '../contract/limits.ts';
import { type AccountOptions, accountOptions, busAccount } from './account.ts';
import {
  acceptedRecords,
  type BusResponse,
  type BusSession,
  isOtherKind,
  openSession,
  otherKindAdvice,
  pull,
  settle,
} from './bus.ts';
import { type CommandContext, inputBytes, Refused, type Terminal } from './command.ts';
import { jsonOption, wholeNumber } from './options.ts';
import { acceptanceLines, shownRefusal } from './verdict.ts';

interface PublishOptions extends AccountOptions {
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** @throws Refused with what to change, unless the message was accepted */
const report = (
  terminal: Terminal,
  response: BusResponse,
  { json, ...sent }: { bytes: Uint8Array; portalUrl: string | undefined; json: boolean },
) => {
  const isAccepted = response.body['accepted'] === true;
  if (json) terminal.out(JSON.stringify(response.body));
  else if (isAccepted) for (const line of acceptanceLines(response, sent)) terminal.out(line);
  if (isAccepted) return;
  const { summary, lines } = shownRefusal(response, sent);
  const advice = isOtherKind(response) ? [otherKindAdvice] : [];
  throw new Refused(summary, json ? [] : [...lines, ...advice]);
};

/** `sombus publish FILE|- [--dry-run]`: sends the bytes of the file unchanged. */
export const publishCommand = ({ terminal }: CommandContext): Command =>
  jsonOption(accountOptions(new Command('publish').argument('<file>', 'a message, or - for standard input')))
    .description('publish one message and print the verdict')
    .option('--dry-run', 'validate the message without publishing it', false)
    .action(async (file: string, { dryRun, json, ...options }: PublishOptions) => {
      const bytes = inputBytes(file);
      const account = busAccount(options, 'producer', process.env);
      const session = await openSession(account);
      const response = await session.call(dryRun ? 'validate' : 'messages', bytes);
      report(terminal, response, { bytes, portalUrl: account.portalUrl, json });
    });

interface TailOptions extends AccountOptions {
  readonly ack: boolean;
  readonly wait: number;
  readonly count: number;
}

/**
 * Pulls once and prints. With `ack`, each message is acknowledged after it is written and before the next one is. Once the reader
 * has left (`| head -1`), what is not yet written is returned to the queue; what a pipe took before that counts as read.
 *
 * @returns how many were printed, and whether there is still a reader
 */
const pullOnce = async (
  session: BusSession,
  { ack, wait, count }: TailOptions,
  deliver: Terminal['deliver'],
) => {
  const max = Math.min(count, limits.pullMessages.max);
  const records = acceptedRecords(await pull(session, { max, wait }));
  for (const [index, record] of records.entries()) {
    if (!(await deliver(JSON.stringify(record)))) {
      acceptedRecords(await settle(session, 'nack', records.slice(index)));
      return { printed: index, isRead: false };
    }
    if (ack) acceptedRecords(await settle(session, 'ack', [record]));
  }
  return { printed: records.length, isRead: true };
};

const nothing = (wait: number): string =>
  wait === 0 ? 'the queue is empty' : `nothing arrived within ${wait} s`;

const { max: maxWait } = limits.pullWaitSeconds;
const noLimit = 999_999_999;

/** `sombus tail [--ack]`: one JSON line per message, until `--count` are printed or the command is stopped. */
export const tailCommand = ({ terminal }: CommandContext): Command =>
  accountOptions(new Command('tail'))
    .description(
      'print incoming messages, one JSON line each; without --ack they are delivered again after a minute',
    )
    .option('--ack', 'acknowledge each message once it is printed', false)
    .option('--wait <seconds>', 'how long one pull waits for a message', wholeNumber(0, maxWait), maxWait)
    .addOption(
      new Option('--count <messages>', 'stop after this many messages')
        .argParser(wholeNumber(1, noLimit))
        .default(noLimit, 'no limit'),
    )
    .option('--once', 'pull once, then stop', false)
    .action(async (options: TailOptions & { readonly once: boolean }) => {
      const account = busAccount(options, 'consumer', process.env);
      const session = await openSession(account, { say: line => terminal.error(line) });
      let left = options.count;
      let isRead = true;
      do {
        const pulled = await pullOnce(session, { ...options, count: left }, terminal.deliver);
        left -= pulled.printed;
        isRead = pulled.isRead;
      } while (isRead && left > 0 && !options.once);
      if (isRead && left === options.count) terminal.error(nothing(options.wait));
    });
