import { Command } from 'commander';
import { unguardedOf } from '../consuming/queue-ages.ts';
import { limits } from '../contract/limits.ts';
import { iso } from '../contract/outside.ts';
import type { Entry } from '../delivery/log.ts';
import { type Connection, isRegistered } from '../registry/connection.ts';
import { skipMessage } from '../registry/connections.ts';
import { repairQueue } from '../registry/queue-access.ts';
import { type QueueView, viewQueue } from '../replay/queue-view.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import { type AccountOptions, accountOptions, busAccount } from './account.ts';
import { openSession, reasonOf } from './bus.ts';
import { accepted, type CommandContext, newNotes, Refused } from './command.ts';
import { type CommonOptions, common, jsonOption, wholeNumber } from './options.ts';
import { printRecord, printTable } from './print.ts';

const expiryOf = ({ acceptedAt }: Entry): number => acceptedAt + limits.queueRetentionSeconds * 1000;

/** `oldest_accepted_at` is null if the queue is empty, or holds more than was looked at. */
const record = (
  connection: string,
  { visible, inFlight, sent, isCut, unsent, blocked, skips }: QueueView,
): object => ({
  connection_id: connection,
  visible,
  in_flight: inFlight,
  oldest_accepted_at: sent[0] && !isCut ? iso(sent[0].acceptedAt) : null,
  oldest_vanishes_at: sent[0] && !isCut ? iso(expiryOf(sent[0])) : null,
  unsent: unsent.length,
  skipped: skips.map(({ messageId }) => messageId),
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
and deletes messages out of order. oldest_vanishes_at: a queue keeps a message for 14 days.
skipped: messages that pulls delete instead of returning them (sombus queue skip).`,
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

interface SkipOptions extends CommonOptions {
  readonly confirm?: string;
}

/** What is lost by skipping a message, for the operator to confirm. */
const consequences = ({ sent }: QueueView, connection: string, messageId: string): readonly string[] => {
  const at = sent.findIndex(entry => entry.messageId === messageId);
  const entry = sent[at];
  if (!entry)
    return [
      `It is not among the last messages sent to ${connection}. If its queue has it, it will be deleted.`,
    ];
  const later = sent.slice(at + 1).filter(({ correlationId }) => correlationId === entry.correlationId);
  return [
    `It is a ${entry.messageType} from ${entry.systemId}, accepted at ${iso(entry.acceptedAt)}.`,
    `${later.length} later messages of its correlation ${entry.correlationId} may wait behind it.`,
  ];
};

const skipCommand = ({ terminal, registry, replays }: CommandContext): Command =>
  common(new Command('skip').argument('<connection>').argument('<message-id>'))
    .description('let a consumer skip one message that it cannot process and that blocks its correlation')
    .option('--confirm <message-id>', 'the same message id again: without it, nothing is changed')
    .action(async (connection: string, messageId: string, { data, json, confirm }: SkipOptions) => {
      const view = accepted(await viewQueue(replays(data), connection));
      if (confirm !== messageId)
        throw new Refused(`${connection} would never get the message ${messageId}.`, [
          ...consequences(view, connection, messageId),
          `If you want that, repeat the command with --confirm ${messageId}.`,
        ]);
      const ports = registry(data);
      const { skips } = accepted(await skipMessage(ports, connection, messageId));
      await newNotes(terminal, ports).onId(connection, 'message.skip', { message: messageId });
      const rows = skips.map(skip => ({ message_id: skip.messageId, skipped_at: skip.at }));
      printTable(terminal, rows, json);
    });

const backlogCommand = ({ terminal }: CommandContext): Command =>
  jsonOption(accountOptions(new Command('backlog')))
    .description('what waits for this consumer, asked of the bus with its own credentials')
    .action(async ({ json, ...options }: AccountOptions & { readonly json: boolean }) => {
      const session = await openSession(busAccount(options, 'consumer', process.env));
      const response = await session.call(`consumers/${session.connection}/backlog`);
      if (response.status !== 200) throw new Refused(reasonOf(response));
      printRecord(terminal, response.body, json);
    });

const unguarded = async (ports: OperatorPorts): Promise<readonly Connection[]> => {
  const found: Connection[] = [];
  for (const { id } of await ports.directory.list('workspace')) {
    const consumers = (await ports.connections.ofWorkspace(id)).filter(isRegistered);
    const queues = consumers.flatMap(one =>
      one.queue === undefined ? [] : [{ connection: one.id, workspace: id, queue: one.queue }],
    );
    const ids = new Set((await unguardedOf(ports, queues)).map(({ connection }) => connection));
    found.push(...consumers.filter(one => ids.has(one.id)));
  }
  return found;
};

const repairs = {
  set: 'repaired',
  gone: 'no queue',
  refused: 'repaired without roles, because AWS does not know one of them: revoke it, and register another',
} as const;

const repairCommand = ({ terminal, registry }: CommandContext): Command =>
  common(new Command('repair').argument('[connection]'))
    .description("set the policies of consumers' queues again, of one or of all where they were changed")
    .action(async (id: string | undefined, { data, json }: CommonOptions) => {
      const ports = registry(data);
      const named = id === undefined ? undefined : await ports.connections.find(id);
      if (id !== undefined && !named) throw new Refused(`There is no connection ${id}.`);
      const rows: object[] = [];
      for (const one of named ? [named.connection] : await unguarded(ports)) {
        const result = repairs[await repairQueue(ports, one)];
        rows.push({ connection_id: one.id, workspace_id: one.workspace, result });
        await newNotes(terminal, ports).on(one, 'queue.repair');
      }
      printTable(terminal, rows, json);
    });

export const queueCommand = (context: CommandContext): Command =>
  new Command('queue')
    .description('queues of consumers, seen without receiving from them')
    .addCommand(showCommand(context))
    .addCommand(peekCommand(context))
    .addCommand(backlogCommand(context))
    .addCommand(skipCommand(context))
    .addCommand(repairCommand(context));
