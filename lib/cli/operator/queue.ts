import { type Connection, isRegistered } from '../../access/registry/connection.ts';
import { skipMessage, skipRecord } from '../../access/registry/connections.ts';
import { repairQueue } from '../../access/trust/queue-access.ts';
import { unguardedOf } from '../../bus/consuming/queue-ages.ts';
import type { Entry, EntryWithoutBody } from '../../bus/delivery/log.ts';
import { frontLimits, type QueuedCopy } from '../../bus/replay/queue-front.ts';
import { type QueueView, viewQueue } from '../../bus/replay/queue-view.ts';
import { consumerAt, nextCopy, unknownWords } from '../../bus/replay/skip-next.ts';
import { limits } from '../../contract/limits.ts';
import { defined, iso } from '../../contract/outside.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { busAccount } from '../frame/account.ts';
import { acceptedBody, openSession } from '../frame/bus.ts';
import { type CommandGroup, type CommandSpec, command } from '../frame/command.ts';
import { accepted, CommandRefused, found } from '../frame/failures.ts';
import { flag, jsonOption, option, wholeNumber, withDefault } from '../frame/options.ts';

/** `oldest_accepted_at` is null if the queue is empty, and if it is not known. */
const record = (
  connection: string,
  { visible, inFlight, oldest, unknown, unsent, blocked, skips }: QueueView,
): object => ({
  connection_id: connection,
  visible,
  in_flight: inFlight,
  oldest_accepted_at: oldest ? iso(oldest.entry.acceptedAt) : null,
  oldest_vanishes_at: oldest ? iso(oldest.sentAt + limits.queueRetentionSeconds * 1000) : null,
  ...defined({ oldest_unknown: unknown && unknownWords[unknown] }),
  unsent: unsent.length,
  skipped: skips.map(({ messageId }) => messageId),
  blocked,
});

interface QueuedState {
  readonly state: QueuedCopy['state'] | 'unsent';
  readonly isNext: boolean;
  readonly replay?: string;
}

const row = (entry: EntryWithoutBody, { state, isNext, replay }: QueuedState) => ({
  state,
  is_next: isNext,
  accepted_at: iso(entry.acceptedAt),
  message_type: entry.messageType,
  system_id: entry.systemId,
  message_id: entry.messageId,
  correlation_id: entry.correlationId,
  ...defined({ replay_id: replay }),
});

const show: CommandSpec = {
  usage: 'show <connection>',
  description:
    "show how many messages wait in a consumer's queue, and which correlations are blocked",
  help: `
blocked: correlations whose next message cannot be pulled now: one is in flight,
was returned with a delay, or is not in the queue yet.
oldest_accepted_at: of the message that has waited for the longest, however many wait;
null, with the reason in oldest_unknown, if the bus cannot know it.
oldest_vanishes_at: a queue keeps a message for 14 days.
skipped: messages that pulls delete instead of returning them (sombus queue skip).`,
  run: async ({ ports }, id) => record(id, accepted(await viewQueue(ports, id))),
};

/** A JSON text in one line: its strings have no line breaks. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n]/g, ' ');

/** The messages themselves, as they were published. */
const bodiesOf = async (
  { archive, connections }: OperatorPorts,
  id: string,
  { copies, unsent }: { copies: readonly QueuedCopy[]; unsent: readonly Entry[] },
): Promise<readonly string[]> => {
  const { workspace } = accepted(await consumerAt({ connections }, id));
  const places = copies.map(({ place }) => place);
  const read = await archive.entries(workspace, places);
  const entries = [...read.map(({ entry }) => entry), ...unsent];
  return entries.map(({ body }) => oneLine(Buffer.from(body).toString('utf8')));
};

const peek = command({
  usage: 'peek <connection>',
  description: "list the first messages in a consumer's queue without receiving them",
  help: `
The first one is the oldest. is_next: nothing is delivered before it, and
sombus queue skip may skip it.`,
  options: {
    count: withDefault(
      option(
        '--count <messages>',
        `at most this many, up to ${frontLimits.copies}`,
        wholeNumber(1, frontLimits.copies),
      ),
      10,
    ),
    body: flag('--body', 'print the messages themselves instead, one JSON line each'),
  },
  async run({ ports, options, terminal, print }, id) {
    const { front, unsent: waiting } = accepted(await viewQueue(ports, id));
    const copies = front.copies.slice(0, options.count);
    const unsent = waiting.slice(0, options.count - copies.length);
    if (options.body)
      for (const line of await bodiesOf(ports, id, { copies, unsent })) terminal.out(line);
    else
      print([
        ...copies.map(copy => row(copy.entry, copy)),
        ...unsent.map(entry => row(entry, { state: 'unsent', isNext: false })),
      ]);
    if (front.unknown !== undefined)
      terminal.error(`note: other messages may come first. ${unknownWords[front.unknown]}`);
  },
});

/** What is lost by skipping a message, for the operator to confirm. */
const consequences = async (
  ports: OperatorPorts,
  connection: string,
  { entry }: QueuedCopy,
): Promise<readonly string[]> => {
  const { front } = accepted(await viewQueue(ports, connection));
  const behind = front.copies.filter(
    ({ entry: one }) => one.correlationId === entry.correlationId,
  ).length;
  return [
    `It is a ${entry.messageType} from ${entry.systemId}, accepted at ${iso(entry.acceptedAt)}.`,
    `${behind - 1} later messages of its correlation ${entry.correlationId} wait behind it.`,
  ];
};

const skip = command({
  usage: 'skip <connection> <message-id>',
  description:
    'let a consumer skip the message that it would get next, because it cannot process it',
  help: `
Only a copy before which nothing is delivered is skipped: see is_next in
sombus queue peek. If another one is next, or the bus cannot know, nothing is changed.`,
  options: {
    confirm: option(
      '--confirm <message-id>',
      'the same message id again: without it, nothing is changed',
    ),
    replay: option('--replay <id>', 'the replay that sent this copy of it, if one did'),
  },
  async run({ ports, options: { confirm, replay }, notes }, connection, messageId) {
    const consumer = accepted(await consumerAt(ports, connection));
    const copy = { messageId, ...defined({ replay }) };
    const next = accepted(await nextCopy(ports, consumer, copy));
    if (confirm !== messageId)
      throw new CommandRefused(
        `${connection} would never get this copy of the message ${messageId}.`,
        [
          ...(await consequences(ports, connection, next)),
          `If you want that, repeat the command with --confirm ${messageId}.`,
        ],
      );
    const { skips } = accepted(await skipMessage(ports, connection, copy));
    await notes.onId(connection, 'message.skip', defined({ message: messageId, replay }));
    return skips.map(skipRecord);
  },
});

const backlog = command({
  usage: 'backlog',
  description: 'what waits for this consumer, asked of the bus with its own credentials',
  target: 'account',
  options: { json: jsonOption },
  async run({ options }) {
    const session = await openSession(busAccount(options, 'consumer'));
    return acceptedBody(await session.call(`consumers/${session.connection}/backlog`));
  },
});

const unguarded = async (ports: OperatorPorts): Promise<readonly Connection[]> => {
  const found: Connection[] = [];
  for (const { id } of await ports.directory.list('workspace')) {
    const consumers = (await ports.connections.ofWorkspace(id)).filter(isRegistered);
    const queues = consumers.flatMap(one => {
      if (one.queue === undefined) return [];
      return [{ connection: one.id, workspace: id, queue: one.queue }];
    });
    const ids = new Set((await unguardedOf(ports, queues)).map(({ connection }) => connection));
    found.push(...consumers.filter(one => ids.has(one.id)));
  }
  return found;
};

const repairs = {
  set: 'repaired',
  gone: 'no queue',
  refused:
    'repaired without roles, because AWS does not know one of them: revoke it, and register another',
} as const;

const toRepair = async (ports: OperatorPorts, id: string | undefined) => {
  if (id === undefined) return unguarded(ports);
  const { connection } = found(await ports.connections.find(id), 'connection', id);
  return [connection];
};

const repair: CommandSpec = {
  usage: 'repair [connection]',
  description:
    "set the policies of consumers' queues again, of one or of all where they were changed",
  async run({ ports, notes }, id: string | undefined) {
    const named = await toRepair(ports, id);
    const rows: object[] = [];
    for (const one of named) {
      const result = repairs[await repairQueue(ports, one)];
      rows.push({ connection_id: one.id, workspace_id: one.workspace, result });
      await notes.on(one, 'queue.repair');
    }
    return rows;
  },
};

export const queueCommand: CommandGroup = {
  name: 'queue',
  description: 'queues of consumers, seen without receiving from them',
  commands: [show, peek, backlog, skip, repair],
};
