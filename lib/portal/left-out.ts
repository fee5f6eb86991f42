import type { MessageLife } from '../activity/message-life.ts';
import type { LeftOut } from '../contract/overview-responses.ts';
import type { Entry } from '../delivery/log.ts';
import type { Connection } from '../registry/connection.ts';
import { isSubscribed } from '../registry/permissions.ts';

const whyNot = (consumer: Connection, entry: Entry): LeftOut['why'] => {
  if (entry.isOfRun) return 'test_run';
  if (!isSubscribed({ ...consumer, sources: [] }, entry)) return 'not_subscribed';
  if (!isSubscribed(consumer, entry)) return 'source_excluded';
  if (Date.parse(consumer.createdAt) > entry.acceptedAt) return 'created_later';
  if (consumer.isSuspended) return 'suspended';
  return consumer.status === 'paused' ? 'paused' : 'changed_since';
};

export const leftOut = (
  { accepted, consumers }: MessageLife,
  connections: readonly Connection[],
): readonly LeftOut[] => {
  if (!accepted) return [];
  const got = new Set(consumers.map(({ connection }) => connection));
  return connections
    .filter(({ id, kind, status }) => kind === 'consumer' && status !== 'revoked' && !got.has(id))
    .map(consumer => ({ connection_id: consumer.id, why: whyNot(consumer, accepted) }));
};
