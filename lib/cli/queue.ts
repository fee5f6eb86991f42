import { Command } from 'commander';
import type { Entry } from '../delivery/log.ts';
import { type QueueView, viewQueue } from '../replay/queue-view.ts';
import { accepted, type CommandContext } from './command.ts';
import { type CommonOptions, common, wholeNumber } from './options.ts';
import { printRecord, printTable } from './print.ts';

const iso = (time: number): string => new Date(time).toISOString();

/** `oldest_accepted_at` is null if the queue is empty, or holds more than was looked at. */
const record = (connection: string, { visible, inFlight, sent, isCut, unsent }: QueueView): object => ({
  connection_id: connection,
  visible,
  in_flight: inFlight,
  oldest_accepted_at: sent[0] && !isCut ? iso(sent[0].acceptedAt) : null,
  unsent: unsent.length,
  blocked: [...new Set(unsent.map(({ correlationId }) => correlationId))],
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
blocked: correlations with accepted messages that are not in the queue yet.
oldest_accepted_at: exact if the consumer acknowledges in order; otherwise the
oldest message may be older.`,
    )
    .action(async (id: string, { data, json }: CommonOptions) => {
      printRecord(terminal, record(id, accepted(await viewQueue(replays(data), id))), json);
    });

const peekNote =
  'note: these are the last messages sent to this consumer, as many as its queue holds; if it does not acknowledge in order, older ones may be there instead.';

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

/** `sombus queue show|peek`. */
export const queueCommand = (context: CommandContext): Command =>
  new Command('queue')
    .description('queues of consumers, seen without receiving from them')
    .addCommand(showCommand(context))
    .addCommand(peekCommand(context));
