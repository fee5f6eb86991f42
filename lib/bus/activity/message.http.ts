import type { CallerRegistry } from '../../access/registry/registry.ts';
import { asMember } from '../../access/trust/admission.http.ts';
import { limits } from '../../contract/limits.ts';
import { defined, iso } from '../../contract/outside.ts';
import { refuse } from '../../contract/refusals.ts';
import type { Edge } from '../../platform/http/respond.ts';
import { refusalResponse, response } from '../../platform/http/response.ts';
import {
  type ConsumerLife,
  type LifePorts,
  lifeOf,
  lifeSeenBy,
  lifeSeenByGuest,
  type MessageLife,
} from './message-life.ts';
import type { ReceiveRecord, RefusedPublish } from './records.ts';

const endOf = ({ acknowledgedAt, visibleAt }: ReceiveRecord) => {
  if (acknowledgedAt === undefined) return { visible_at: iso(visibleAt) };
  return { acknowledged_at: iso(acknowledgedAt) };
};

const receiveRecord = (receive: ReceiveRecord) =>
  defined({
    received_at: iso(receive.takenAt),
    receive_count: receive.receiveCount,
    ...endOf(receive),
    released_at: receive.releasedAt === undefined ? undefined : iso(receive.releasedAt),
    replay_id: receive.replay,
  });

const latest = <T>(all: readonly T[]): readonly T[] => all.slice(-limits.attemptsTold);

const consumerRecord = ({ connection, state, waitsFor, receives, replays }: ConsumerLife) => {
  const delivered = receives.filter(({ skippedAt }) => skippedAt === undefined);
  return defined({
    connection_id: connection,
    state,
    waits_for: waitsFor,
    received: latest(delivered).map(receiveRecord),
    replayed: latest(replays).map(({ replay, at }) => ({ replay_id: replay, sent_at: iso(at) })),
  });
};

const refusalRecord = ({ at, sizeBytes, violations, connection }: RefusedPublish) => ({
  refused_at: iso(at),
  connection_id: connection,
  size_bytes: sizeBytes,
  violations,
});

export const lifeRecord = ({ messageId, accepted, consumers, refusals, repeats }: MessageLife) => ({
  message_id: messageId,
  verdict: accepted ? ('accepted' as const) : ('refused' as const),
  ...(accepted && {
    message_type: accepted.messageType,
    correlation_id: accepted.correlationId,
    system_id: accepted.systemId,
    producer_id: accepted.producer,
    accepted_at: iso(accepted.acceptedAt),
    size_bytes: accepted.body.byteLength,
  }),
  consumers: consumers.map(consumerRecord),
  refusals: refusals.map(refusalRecord),
  repeated_at: repeats.map(({ at }) => iso(at)),
});

/** `GET /v1/tenants/{t}/messages/{m}`: for producers and consumers alike. */
export const messageEdge: Edge<LifePorts & { registry: CallerRegistry }> = ports =>
  asMember(ports.registry, async function messageRoute({ connection, log }, { pathParameters }) {
    const messageId = pathParameters['m'] ?? '';
    const life = await lifeOf(ports)(connection.workspace, messageId);
    const seenBy = connection.guestSince === undefined ? lifeSeenBy : lifeSeenByGuest;
    const seen = life && seenBy(life, new Set([connection.id]));
    if (seen)
      return response(200, lifeRecord(seen), { headers: { 'cache-control': 'no-store' }, log });
    return refusalResponse(refuse('message_id.unknown'), log);
  });
