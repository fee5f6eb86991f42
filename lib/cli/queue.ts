import { Command } from 'commander';
import type { Entry } from '../delivery/log.ts';
import { type QueueView, viewQueue } from '../replay/queue-view.ts';
import { type AccountOptions, accountOptions, busAccount } from './account.ts';
import { reasonOf } from './bus-answer.ts';
import { openSession } from './bus-client.ts';
import { accepted, type CommandContext, Refused } from './command.ts';
import { type CommonOptions, common, jsonOption, wholeNumber } from './options.ts';
import { printRecord, printTable } from './print.ts';

const iso = (time: number): string => new Date(time).toISOString();

/** `oldest_accepted_at` is null if the queue is empty, or holds more than was looked at. */
const record = (
  connection: string,
  { visible, inFlight, sent, isCut, unsent, blocked }: QueueView,
): object => ({
  connection_id: connection,
  visible,
  in_flight: inFlight,
  oldest_accepted_at: sent[0] && !isCut ? iso(sent[0].acceptedAt) : null,
  unsent: unsent.length,
  blocked,
});

const row = (state: 'queued' | 'unsent') => (entry: Entry) => ({
  state,
  accepted_at: iso(entry.acceptedAt),
  message_type: entry.messageType,
  system_id: entry.systemId,
  message_id: entry.messageId,
  correlation_id: entry.correlationId,
});

const showCommand = ({ terminal, replays }: CommandContext): Command =>
  common(new Command('show').argument('<connection>'))
    .description("show how many messages wait in a consumer's queue, and which correlations are blocked")
    .addHelpText(
      'after',
      `
blocked: correlations whose next message cannot be pulled now: one is in flight,
was returned with a delay, or is not in the queue yet.
oldest_accepted_at: exact, unless the consumer reads its queue with a cloud role
and deletes messages out of order.`,
    )
    .action(async (id: string, { data, json }: CommonOptions) => {
      printRecord(terminal, record(id, accepted(await viewQueue(replays(data), id))), json);
    });

const peekNote =
  'note: these are the last messages sent to this consumer and not acknowledged over HTTPS, as many as its queue holds.';

const peekCommand = ({ terminal, replays }: CommandContext): Command =>
  common(new Command('peek').argument('<connection>'))
    .description("list the messages in a consumer's queue without receiving them, the oldest first")
    .option('--count <messages>', 'at most this many', wholeNumber(1, 1000), 10)
    .option('--body', 'print the messages themselves instead, one JSON line each', false)
    .action(async (id: string, options: CommonOptions & { count: number; body: boolean }) => {
      const { sent, unsent } = accepted(await viewQueue(replays(options.data), id));
      const shown = [...sent, ...unsent].slice(0, options.count);
      if (options.body)
        for (const { body } of shown)
          terminal.out(JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8'))));
      else
        printTable(
          terminal,
          shown.map((entry, at) => row(at < sent.length ? 'queued' : 'unsent')(entry)),
          options.json,
        );
      if (sent.length > 0) terminal.error(peekNote);
    });

const backlogCommand = ({ terminal }: CommandContext): Command =>
  jsonOption(accountOptions(new Command('backlog')))
    .description('what waits for this consumer, asked of the bus with its own credentials')
    .action(async ({ json, ...options }: AccountOptions & { readonly json: boolean }) => {
      const session = await openSession(busAccount(options, 'consumer', process.env));
      const answer = await session.call(`consumers/${session.connection}/backlog`);
      if (answer.status !== 200) throw new Refused(reasonOf(answer));
      printRecord(terminal, answer.body, json);
    });

/** `sombus queue show|peek|backlog`. */
export const queueCommand = (context: CommandContext): Command =>
  new Command('queue')
    .description('queues of consumers, seen without receiving from them')
    .addCommand(showCommand(context))
    .addCommand(peekCommand(context))
    .addCommand(backlogCommand(context));
