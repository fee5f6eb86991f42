import { type Connection, isRegistered } from '../../access/registry/connection.ts';
import { skipMessage, skipRecord } from '../../access/registry/connections.ts';
import { repairQueue } from '../../access/trust/queue-access.ts';
import { unguardedOf } from '../../bus/consuming/queue-ages.ts';
import type { Entry } from '../../bus/delivery/log.ts';
import { type QueueView, viewQueue } from '../../bus/replay/queue-view.ts';
import { canonicalUuid } from '../../contract/identifiers.ts';
import { limits } from '../../contract/limits.ts';
import { defined, iso } from '../../contract/outside.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { busAccount } from '../frame/account.ts';
import { acceptedBody, openSession } from '../frame/bus.ts';
import { type CommandGroup, type CommandSpec, command } from '../frame/command.ts';
import { accepted, found, Refused } from '../frame/failures.ts';
import { flag, jsonOption, option, wholeNumber, withDefault } from '../frame/options.ts';

const expiryOf = ({ acceptedAt }: Entry): number =>
  acceptedAt + limits.queueRetentionSeconds * 1000;

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

const row = (state: 'queued' | 'unsent', entry: Entry) => ({
  state,
  accepted_at: iso(entry.acceptedAt),
  message_type: entry.messageType,
  system_id: entry.systemId,
  message_id: entry.messageId,
  correlation_id: entry.correlationId,
});

const show: CommandSpec = {
  usage: 'show <connection>',
  description:
    "show how many messages wait in a consumer's queue, and which correlations are blocked",
  help: `
blocked: correlations whose next message cannot be pulled now: one is in flight,
was returned with a delay, or is not in the queue yet.
oldest_accepted_at: exact, unless the consumer reads its queue with a cloud role
and deletes messages out of order. oldest_vanishes_at: a queue keeps a message for 14 days.
skipped: messages that pulls delete instead of returning them (sombus queue skip).`,
  run: async ({ ports }, id) => record(id, accepted(await viewQueue(ports, id))),
};

/** The text of a message as its producer wrote it: JSON has line breaks between its tokens only. */
const onOneLine = (body: Uint8Array): string =>
  Buffer.from(body)
    .toString('utf8')
    .replaceAll(/[\r\n]+/g, ' ');

const peekNote =
  'note: these are the last messages sent to this consumer and not acknowledged over HTTPS, as many as its queue holds.';

const peek = command({
  usage: 'peek <connection>',
  description: "list the messages in a consumer's queue without receiving them, the oldest first",
  options: [
    withDefault(option('--count <messages>', 'at most this many', wholeNumber(1, 1000)), 10),
    flag('--body', 'print the messages themselves instead, one JSON line each'),
  ],
  async run({ ports, options, terminal, print }, id) {
    const { sent, unsent } = accepted(await viewQueue(ports, id));
    const shown = [...sent, ...unsent].slice(0, options.count);
    if (options.body) for (const { body } of shown) terminal.out(onOneLine(body));
    else print(shown.map((entry, at) => row(at < sent.length ? 'queued' : 'unsent', entry)));
    if (sent.length > 0) terminal.error(peekNote);
  },
});

/** What is lost by skipping a message, for the operator to confirm. */
const consequences = (
  { sent }: QueueView,
  connection: string,
  messageId: string,
): readonly string[] => {
  const at = sent.findIndex(entry => entry.messageId === canonicalUuid(messageId));
  const entry = sent[at];
  if (!entry)
    return [
      `It is not among the last messages sent to ${connection}. If its queue has it, it will be deleted.`,
    ];
  const later = sent
    .slice(at + 1)
    .filter(({ correlationId }) => correlationId === entry.correlationId);
  return [
    `It is a ${entry.messageType} from ${entry.systemId}, accepted at ${iso(entry.acceptedAt)}.`,
    `${later.length} later messages of its correlation ${entry.correlationId} may wait behind it.`,
  ];
};

const skip = command({
  usage: 'skip <connection> <message-id>',
  description:
    'let a consumer skip one message that it cannot process and that blocks its correlation',
  options: [
    option('--confirm <message-id>', 'the same message id again: without it, nothing is changed'),
    option('--replay <id>', 'the replay that sent this copy of it, if one did'),
  ],
  async run(call, connection, messageId) {
    const { confirm, replay } = call.options;
    const view = accepted(await viewQueue(call.ports, connection));
    if (confirm !== messageId)
      throw new Refused(`${connection} would never get this copy of the message ${messageId}.`, [
        ...consequences(view, connection, messageId),
        `If you want that, repeat the command with --confirm ${messageId}.`,
      ]);
    const copy = { messageId, ...defined({ replay }) };
    const { skips } = accepted(await skipMessage(call.ports, connection, copy));
    const facts = defined({ message: messageId, replay });
    await call.notes.onId(connection, 'message.skip', facts);
    return skips.map(skipRecord);
  },
});

const backlog = command({
  usage: 'backlog',
  description: 'what waits for this consumer, asked of the bus with its own credentials',
  target: 'account',
  options: [jsonOption],
  async run({ options }) {
    const session = await openSession(busAccount(options, 'consumer'));
    return acceptedBody(await session.call(`consumers/${session.connection}/backlog`));
  },
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
  refused:
    'repaired without roles, because AWS does not know one of them: revoke it, and register another',
} as const;

const repair: CommandSpec = {
  usage: 'repair [connection]',
  description:
    "set the policies of consumers' queues again, of one or of all where they were changed",
  async run({ ports, notes }, id: string | undefined) {
    const named =
      id === undefined
        ? await unguarded(ports)
        : [found(await ports.connections.find(id), 'connection', id).connection];
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
