import type { Connection, SkippedCopy } from '../access/registry/connection.ts';
import { skipMessage, skipRecord } from '../access/registry/connections.ts';
import { declined, isDeclined } from '../access/registry/declined.ts';
import type { ReceiveRecord } from '../bus/activity/records.ts';
import type { Entry } from '../bus/delivery/log.ts';
import { countReplay } from '../bus/replay/count-replay.ts';
import { oldestIn, type QueuedCopy, queueFront } from '../bus/replay/queue-front.ts';
import { unsentTo } from '../bus/replay/queue-view.ts';
import { type Replay, type ReplayRange, replayFacts, replayRecord } from '../bus/replay/replay.ts';
import { consumerAt, nextCopy, unknownWords } from '../bus/replay/skip-next.ts';
import { cancelReplay, type RequestedType, startReplay } from '../bus/replay/start-replay.ts';
import { limits } from '../contract/limits.ts';
import { defined, iso } from '../contract/outside.ts';
import type { BlockedResponse, QueuedResponse } from '../contract/portal/work-responses.ts';
import { millisecondsIn } from '../platform/json/formats.ts';
import { textOf } from '../platform/json/value.ts';
import { factsOf } from '../som/messages/read-message.ts';
import { invalidRequest, notYours, portalRefusal } from './browser.http.ts';
import { type Call, type CallHandlers, nextOf, note, partIn } from './calls.http.ts';
import type { PortalPorts } from './ports.ts';
import { isOwnSide, mayReplay } from './standing.ts';
import { messageRecord } from './story.ts';

const waitingRecord = (entry: Entry) => ({
  ...messageRecord(entry),
  correlation_id: entry.correlationId,
  facts: factsOf(entry.messageType, entry.body),
});

const unsentRecord = (entry: Entry): QueuedResponse => ({
  ...waitingRecord(entry),
  state: 'unsent',
  receive_count: 0,
  is_next: false,
});

interface ShownCopy extends QueuedCopy {
  readonly entry: Entry;
}

/** Copies with their messages' bodies, without those whose messages have expired meanwhile. */
const withBodies = async (
  { archive }: PortalPorts,
  workspace: string,
  copies: readonly QueuedCopy[],
): Promise<readonly ShownCopy[]> => {
  const places = new Map(copies.map(({ place }) => [place.position, place]));
  const read = await archive.entries(workspace, [...places.values()]);
  const entries = new Map(read.map(({ summary, entry }) => [summary.position, entry]));
  return copies.flatMap(copy => {
    const entry = entries.get(copy.place.position);
    return entry ? [{ ...copy, entry }] : [];
  });
};

const copyRecord = ({
  entry,
  state,
  sentAt,
  replay,
  visibleAt,
  receives,
  isNext,
}: ShownCopy): QueuedResponse => ({
  ...waitingRecord(entry),
  state,
  receive_count: receives,
  sent_at: iso(sentAt),
  is_next: isNext,
  ...defined({
    replay_id: replay,
    visible_at: visibleAt === undefined ? undefined : iso(visibleAt),
  }),
});

/** A consumer's queue, and what waits before it. */
const frontOf = async (ports: PortalPorts, consumer: Connection) => {
  const unsent = await unsentTo(ports, consumer);
  return { unsent, front: await queueFront(ports, consumer, unsent) };
};

/** Each correlation that cannot go on, by its first message. */
const blockedBy = (
  copies: readonly QueuedCopy[],
  unsent: readonly Entry[],
  inFlight: readonly ReceiveRecord[],
): readonly BlockedResponse[] => {
  const all = [
    ...copies.filter(({ state }) => state !== 'queued').map(heldBlock),
    ...inFlight.map(flightBlock),
    ...unsent.map(unsentBlock),
  ];
  const first = new Map<string, BlockedResponse>();
  for (const one of all) if (!first.has(one.correlation_id)) first.set(one.correlation_id, one);
  return [...first.values()];
};

const heldBlock = ({ entry, state, visibleAt }: QueuedCopy): BlockedResponse => ({
  correlation_id: entry.correlationId,
  message_id: entry.messageId,
  why: state === 'returned' ? 'returned' : 'received',
  ...(visibleAt !== undefined && { visible_at: iso(visibleAt) }),
});

const flightBlock = ({
  correlationId,
  messageId,
  releasedAt,
  visibleAt,
}: ReceiveRecord): BlockedResponse => ({
  correlation_id: correlationId,
  message_id: messageId,
  why: releasedAt === undefined ? 'received' : 'returned',
  visible_at: iso(visibleAt),
});

const unsentBlock = ({ correlationId, messageId }: Entry): BlockedResponse => ({
  correlation_id: correlationId,
  message_id: messageId,
  why: 'unsent',
});

/** What blocks, by its name where the list has it. */
const namedBlock =
  (listed: readonly QueuedResponse[]) =>
  (block: BlockedResponse): BlockedResponse => {
    const { message_type, facts } = listed.find(one => one.message_id === block.message_id) ?? {};
    return { ...block, ...defined({ message_type, facts }) };
  };

/** The copy that the person has seen, and wants skipped. */
const copyIn = ({ body }: Call): SkippedCopy => ({
  messageId: textOf(body, 'message_id'),
  replay: textOf(body, 'replay_id') || undefined,
});

const rangeOf = (
  { clock }: PortalPorts,
  { body }: Call,
): (ReplayRange & RequestedType) | undefined => {
  const to = textOf(body, 'to');
  const begin = millisecondsIn(textOf(body, 'from'));
  const end = to === '' ? clock.now() : millisecondsIn(to);
  if (begin === undefined || end === undefined) return undefined;

  const given = (name: string) => textOf(body, name).trim() || undefined;
  const narrowed = defined({
    type: given('type'),
    correlationId: given('correlation_id'),
    messageId: given('message_id'),
  });
  return { from: begin, to: end, ...narrowed, force: body['force'] === true };
};

const badTimes = portalRefusal(
  'request.invalid',
  'Give the start of the range, and its end if that is not now, as times that exist, such as ' +
    '2026-05-04T09:00:00Z.',
);

/** Why one message would not be sent, which nobody counts before; undefined if it would. */
const problemWithMessage = async (
  ports: PortalPorts,
  consumer: string,
  range: ReplayRange & RequestedType,
) => {
  if (range.messageId === undefined) return undefined;
  const counted = await countReplay(ports, consumer, range);
  if (isDeclined(counted) || counted.messages > 0 || counted.until !== undefined) return undefined;
  return declined(
    'Nothing would be sent: the consumer does not subscribe to this message, or the archive does ' +
      'not have it any more.',
  );
};

const replayOf = async (
  { replays }: PortalPorts,
  { subject: { c, y } }: Call,
): Promise<Replay | undefined> => {
  const replay = await replays.find(y);
  return replay?.connection === c ? replay : undefined;
};

const oldestRecord = ({ entry, sentAt }: QueuedCopy) => ({
  oldest_accepted_at: iso(entry.acceptedAt),
  oldest_vanishes_at: iso(sentAt + limits.queueRetentionSeconds * 1000),
});

export const queueCalls: CallHandlers<'queue'> = {
  'queue.show': async (ports, call) => {
    const { c } = call.subject;
    const consumer = await consumerAt(ports, c);
    if (isDeclined(consumer)) return consumer;
    const [depth, { unsent, front }, inFlight] = await Promise.all([
      ports.depths.depth(consumer.queue),
      frontOf(ports, consumer),
      ports.history.inFlight(c, ports.clock.now()),
    ]);
    if (!depth) return declined(`The queue of the connection ${c} does not exist.`);
    const { copies, unknown } = front;
    const { oldest } = oldestIn(front, depth.visible + depth.inFlight);
    const isKnown = unknown === undefined;
    const shown = await withBodies(ports, consumer.workspace, copies);
    const messages = [...shown.map(copyRecord), ...unsent.map(unsentRecord)];
    return {
      connection_id: c,
      may_skip: isKnown && isOwnSide(call, 'editor'),
      may_replay: mayReplay(call),
      visible: depth.visible,
      in_flight: depth.inFlight,
      unsent: unsent.length,
      ...(!isKnown && { unknown: unknownWords[unknown] }),
      ...(oldest && oldestRecord(oldest)),
      is_cut: copies.length < depth.visible + depth.inFlight,
      blocked: blockedBy(copies, unsent, inFlight)
        .slice(0, limits.portalPage)
        .map(namedBlock(messages)),
      skips: (consumer.skips ?? []).map(skipRecord),
      messages: messages.slice(0, limits.portalPage),
    };
  },

  /**
   * A skipped message is lost to its consumer: its id is said twice, only the consumer's own side
   * says it, and nothing may be delivered before it.
   */
  'queue.skip': async (ports, call) => {
    const { body, subject } = call;
    const copy = copyIn(call);
    const { messageId: message, replay } = copy;
    if (message === '' || textOf(body, 'confirm') !== message) return invalidRequest;
    if (!isOwnSide(call, 'editor')) return notYours;
    const consumer = await consumerAt(ports, subject.c);
    if (isDeclined(consumer)) return consumer;
    const next = await nextCopy(ports, consumer, copy);
    if (isDeclined(next)) return next;
    const result = await skipMessage(ports, subject.c, copy);
    if (isDeclined(result)) return result;
    const facts = defined({ message, replay });
    const noted = await note(ports, call, { what: 'message.skip', facts });
    return { ...noted, skips: result.skips.map(skipRecord) };
  },

  'queue.replays': async ({ replayList, replays }, call) => {
    // Each replay is read.
    const page = await replayList.ofConnection(call.subject.c, partIn(call, limits.portalPage));
    const found = await replays.findAll(page.entries);
    return { replays: found.map(replayRecord), ...nextOf(page) };
  },

  'queue.countReplay': async (ports, call) => {
    const range = rangeOf(ports, call);
    if (!range) return badTimes;
    const counted = await countReplay(ports, call.subject.c, range);
    if (isDeclined(counted)) return counted;
    const { messages, until, note: clamped } = counted;
    return defined({
      messages,
      counted_until: until === undefined ? undefined : iso(until),
      note: clamped,
    });
  },

  'queue.startReplay': async (ports, call) => {
    const range = rangeOf(ports, call);
    if (!range) return badTimes;
    const problem = await problemWithMessage(ports, call.subject.c, range);
    if (problem) return problem;
    const replay = await startReplay(ports, call.subject.c, range);
    if (isDeclined(replay)) return replay;
    const clamped = defined({ note: replay.note });
    const noted = await note(ports, call, { what: 'replay.start', facts: replayFacts(replay) });
    return { ...replayRecord(replay), ...clamped, ...noted };
  },

  'queue.replay': async (ports, call) => {
    const replay = await replayOf(ports, call);
    return replay && replayRecord(replay);
  },

  'queue.cancelReplay': async (ports, call) => {
    const known = await replayOf(ports, call);
    const replay = known && (await cancelReplay(ports, known.id));
    if (!replay || isDeclined(replay)) return replay;
    const facts = { replay: replay.id };
    const noted = await note(ports, call, { what: 'replay.cancel', facts });
    return { ...replayRecord(replay), ...noted };
  },
};
