import { limits } from '../contract/limits.ts';
import { iso } from '../contract/outside.ts';
import type { QueuedResponse } from '../contract/work-responses.ts';
import type { Entry } from '../delivery/log.ts';
import { textOf } from '../json/value.ts';
import { skipMessage } from '../registry/connections.ts';
import { isDeclined } from '../registry/operator.ts';
import { countReplay } from '../replay/count-replay.ts';
import { viewQueue } from '../replay/queue-view.ts';
import {
  type Replay,
  type ReplayRange,
  type RequestedType,
  replayFacts,
  replayRecord,
  startReplay,
} from '../replay/replay.ts';
import { declinedReply, portalRefusal, portalResponse } from './browser.http.ts';
import type { Call, CallHandler, CallService } from './calls.http.ts';
import { changeable, noteHere, notYours } from './connection-changes.http.ts';
import { nextOf, partIn } from './lists.http.ts';
import type { PortalPorts } from './ports.ts';
import { mayReplay, ownersOf, standingAt } from './standing.ts';

const queuedRecord =
  (state: QueuedResponse['state']) =>
  (entry: Entry): QueuedResponse => ({
    state,
    message_id: entry.messageId,
    message_type: entry.messageType,
    correlation_id: entry.correlationId,
    system_id: entry.systemId,
    accepted_at: iso(entry.acceptedAt),
    size_bytes: entry.body.byteLength,
  });

const show: CallHandler<'queue.show'> = async (ports, call) => {
  const { c = '' } = call.subject;
  const [view, owners] = await Promise.all([viewQueue(ports, c), changeable(ports, call)]);
  if (isDeclined(view)) return declinedReply(view);
  const { visible, inFlight, sent, unsent, isCut, blocked, skips } = view;
  const [oldest] = sent;
  return portalResponse({
    connection_id: c,
    may_skip: owners !== undefined,
    may_replay: mayReplay(call.standing),
    visible,
    in_flight: inFlight,
    unsent: unsent.length,
    ...(oldest && !isCut
      ? {
          oldest_accepted_at: iso(oldest.acceptedAt),
          oldest_vanishes_at: iso(oldest.acceptedAt + limits.queueRetentionSeconds * 1000),
        }
      : {}),
    is_cut: isCut,
    blocked: blocked.slice(0, limits.portalPage),
    skips: skips.map(({ messageId, at }) => ({ message_id: messageId, skipped_at: at })),
    messages: [...sent.map(queuedRecord('queued')), ...unsent.map(queuedRecord('unsent'))].slice(
      0,
      limits.portalPage,
    ),
  });
};

/** A skipped message is lost to its consumer: its id is said twice, and only the consumer's own side says it. */
const skip: CallHandler<'queue.skip'> = async (ports, call) => {
  const { body, subject } = call;
  const messageId = textOf(body, 'message_id');
  // It is recorded: whatever is longer is no message's id.
  const isId = messageId !== '' && messageId.length <= limits.nameCharacters;
  if (!isId || textOf(body, 'confirm') !== messageId) return portalRefusal('request.invalid');
  const owners = await changeable(ports, call);
  if (!owners) return portalRefusal('access.denied', notYours);
  const result = await skipMessage(ports, subject['c'] ?? '', messageId);
  if (isDeclined(result)) return declinedReply(result);
  const noted = await noteHere(ports, call, { what: 'message.skip', facts: { message: messageId }, owners });
  return portalResponse({
    ...noted,
    skips: result.skips.map(one => ({ message_id: one.messageId, skipped_at: one.at })),
  });
};

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

const timeIn = (text: string): number => (timeForm.test(text) ? Date.parse(text) : Number.NaN);

const rangeOf = ({ body }: Call, now: number): (ReplayRange & RequestedType) | undefined => {
  const [from, to] = [textOf(body, 'from'), textOf(body, 'to')];
  const [type, correlationId] = [textOf(body, 'type').trim(), textOf(body, 'correlation_id').trim()];
  const range = {
    from: timeIn(from),
    to: to === '' ? now : timeIn(to),
    ...(type === '' ? {} : { type }),
    ...(correlationId === '' ? {} : { correlationId }),
    force: body['force'] === true,
  };
  return Number.isNaN(range.from + range.to) ? undefined : range;
};

const badTimes = 'Give the start of the range, and its end if that is not now, such as 2026-05-04T09:00:00Z.';

const countCall: CallHandler<'queue.countReplay'> = async (ports, call) => {
  const range = rangeOf(call, ports.clock.now());
  if (!range) return portalRefusal('request.invalid', badTimes);
  const counted = await countReplay(ports, call.subject['c'] ?? '', range);
  if (isDeclined(counted)) return declinedReply(counted);
  const { messages, until } = counted;
  return portalResponse({ messages, ...(until === undefined ? {} : { counted_until: iso(until) }) });
};

const start: CallHandler<'queue.startReplay'> = async (ports, call) => {
  const range = rangeOf(call, ports.clock.now());
  if (!range) return portalRefusal('request.invalid', badTimes);
  const replay = await startReplay(ports, call.subject['c'] ?? '', range);
  if (isDeclined(replay)) return declinedReply(replay);
  const owners = await ownersOf(ports, call);
  const noted = await noteHere(ports, call, { what: 'replay.start', facts: replayFacts(replay), owners });
  return portalResponse({ ...replayRecord(replay), ...noted });
};

const list: CallHandler<'queue.replays'> = async (ports, call) => {
  // Each replay is read.
  const part = partIn(call, limits.portalPage);
  const page = await ports.replayList.ofConnection(call.subject['c'] ?? '', part);
  const found = await Promise.all(page.entries.map(id => ports.replays.find(id)));
  return portalResponse({
    replays: found.flatMap(replay => (replay ? [replayRecord(replay)] : [])),
    ...nextOf(page),
  });
};

const replayOf = async (
  { replays }: PortalPorts,
  { subject: { c, y = '' } }: Call,
): Promise<Replay | undefined> => {
  const replay = await replays.find(y);
  return replay?.connection === c ? replay : undefined;
};

const cancel: CallHandler<'queue.cancelReplay'> = async (ports, call) => {
  const replay = await replayOf(ports, call);
  if (!replay) return portalRefusal('portal.not_found');
  const { id } = replay;
  if (!(await ports.replays.end(id, { status: 'cancelled' }))) {
    const { status } = (await ports.replays.find(id)) ?? replay;
    return portalRefusal('portal.declined', `The replay ${id} is not running: it is ${status}.`);
  }
  const owners = await ownersOf(ports, call);
  const noted = await noteHere(ports, call, { what: 'replay.cancel', facts: { replay: id }, owners });
  return portalResponse({ ...replayRecord((await ports.replays.find(id)) ?? replay), ...noted });
};

export const queueCalls: CallService<'queue'> = {
  standingOf: standingAt,
  handlers: {
    'queue.show': show,
    'queue.skip': skip,
    'queue.replays': list,
    'queue.countReplay': countCall,
    'queue.startReplay': start,
    'queue.replay': async (ports, call) => {
      const replay = await replayOf(ports, call);
      return replay ? portalResponse(replayRecord(replay)) : portalRefusal('portal.not_found');
    },
    'queue.cancelReplay': cancel,
  },
};
