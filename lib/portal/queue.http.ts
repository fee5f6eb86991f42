import type { Skip } from '../access/registry/connection.ts';
import { skipMessage } from '../access/registry/connections.ts';
import { declined, isDeclined } from '../access/registry/operator.ts';
import type { Entry } from '../bus/delivery/log.ts';
import { countReplay } from '../bus/replay/count-replay.ts';
import { viewQueue } from '../bus/replay/queue-view.ts';
import {
  type Replay,
  type ReplayRange,
  type RequestedType,
  replayFacts,
  replayRecord,
  startReplay,
} from '../bus/replay/replay.ts';
import { limits } from '../contract/limits.ts';
import { defined, iso } from '../contract/outside.ts';
import type { QueuedResponse } from '../contract/portal/work-responses.ts';
import { millisecondsIn } from '../platform/json/formats.ts';
import { textOf } from '../platform/json/value.ts';
import { notYours, portalRefusal } from './browser.http.ts';
import { type Call, type CallHandlers, nextOf, note, partIn } from './calls.http.ts';
import type { PortalPorts } from './ports.ts';
import { isOwnSide, mayReplay } from './standing.ts';
import { messageRecord } from './story.ts';

const queuedRecord =
  (state: QueuedResponse['state']) =>
  (entry: Entry): QueuedResponse => ({
    ...messageRecord(entry),
    state,
    correlation_id: entry.correlationId,
  });

const skipRecord = ({ messageId, at }: Skip) => ({ message_id: messageId, skipped_at: at });

const rangeOf = (
  { clock }: PortalPorts,
  { body }: Call,
): (ReplayRange & RequestedType) | undefined => {
  const [from, to] = [textOf(body, 'from'), textOf(body, 'to')];
  const [type, correlationId] = [
    textOf(body, 'type').trim(),
    textOf(body, 'correlation_id').trim(),
  ];
  const begin = millisecondsIn(from);
  const end = to === '' ? clock.now() : millisecondsIn(to);
  if (begin === undefined || end === undefined) return undefined;
  return {
    from: begin,
    to: end,
    ...(type === '' ? {} : { type }),
    ...(correlationId === '' ? {} : { correlationId }),
    force: body['force'] === true,
  };
};

const badTimes = portalRefusal(
  'request.invalid',
  'Give the start of the range, and its end if that is not now, as times that exist, such as 2026-05-04T09:00:00Z.',
);

const replayOf = async (
  { replays }: PortalPorts,
  { subject: { c, y } }: Call,
): Promise<Replay | undefined> => {
  const replay = await replays.find(y);
  return replay?.connection === c ? replay : undefined;
};

export const queueCalls: CallHandlers<'queue'> = {
  'queue.show': async (ports, call) => {
    const { c } = call.subject;
    const view = await viewQueue(ports, c);
    if (isDeclined(view)) return view;
    const { visible, inFlight, sent, unsent, isCut, blocked, skips } = view;
    const oldestAt = isCut ? undefined : sent[0]?.acceptedAt;
    const vanishesAt = oldestAt && oldestAt + limits.queueRetentionSeconds * 1000;
    const messages = [...sent.map(queuedRecord('queued')), ...unsent.map(queuedRecord('unsent'))];
    return {
      connection_id: c,
      may_skip: isOwnSide(call, 'editor'),
      may_replay: mayReplay(call),
      visible,
      in_flight: inFlight,
      unsent: unsent.length,
      ...(oldestAt && vanishesAt
        ? { oldest_accepted_at: iso(oldestAt), oldest_vanishes_at: iso(vanishesAt) }
        : {}),
      is_cut: isCut,
      blocked: blocked.slice(0, limits.portalPage),
      skips: skips.map(skipRecord),
      messages: messages.slice(0, limits.portalPage),
    };
  },

  /**
   * A skipped message is lost to its consumer: its id is said twice, and only the consumer's own
   * side says it.
   */
  'queue.skip': async (ports, call) => {
    const { body, subject } = call;
    const message = textOf(body, 'message_id');
    if (message === '' || textOf(body, 'confirm') !== message)
      return portalRefusal('request.invalid');
    if (!isOwnSide(call, 'editor')) return notYours;
    const result = await skipMessage(ports, subject.c, message);
    if (isDeclined(result)) return result;
    const noted = await note(ports, call, { what: 'message.skip', facts: { message } });
    return { ...noted, skips: result.skips.map(skipRecord) };
  },

  'queue.replays': async ({ replayList, replays }, call) => {
    // Each replay is read.
    const page = await replayList.ofConnection(call.subject.c, partIn(call, limits.portalPage));
    const found = await Promise.all(page.entries.map(id => replays.find(id)));
    return {
      replays: found.flatMap(replay => (replay ? [replayRecord(replay)] : [])),
      ...nextOf(page),
    };
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
    const replay = await replayOf(ports, call);
    if (!replay) return undefined;
    const { id } = replay;
    const hasEnded = await ports.replays.end(id, { status: 'cancelled' });
    const now = (await ports.replays.find(id)) ?? replay;
    if (!hasEnded) return declined(`The replay ${id} is not running: it is ${now.status}.`);
    const noted = await note(ports, call, { what: 'replay.cancel', facts: { replay: id } });
    return { ...replayRecord(now), ...noted };
  },
};
