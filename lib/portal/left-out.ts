import type { Change } from '../access/people/noting.ts';
import type { Connection } from '../access/registry/connection.ts';
import { isSubscribed } from '../access/registry/permissions.ts';
import type { MessageLife } from '../bus/activity/message-life.ts';
import type { Entry } from '../bus/delivery/log.ts';
import { includes } from '../bus/replay/replay.ts';
import { defined, iso } from '../contract/outside.ts';
import { type LeftOut, reachableReasons } from '../contract/portal/overview-responses.ts';
import type { PortalPorts } from './ports.ts';

const whyNot = (consumer: Connection, entry: Entry): LeftOut['why'] => {
  if (entry.isOfRun) return 'test_run';
  if (!isSubscribed({ ...consumer, sources: [] }, entry)) return 'not_subscribed';
  if (!isSubscribed(consumer, entry)) return 'source_excluded';
  if (Date.parse(consumer.createdAt) > entry.acceptedAt) return 'created_later';
  if (consumer.isSuspended) return 'suspended';
  return consumer.status === 'paused' ? 'paused' : 'changed_since';
};

type Reason = Omit<LeftOut, 'connection_id'>;

/** What the record of changes says about one connection, the oldest first. */
type Changed = readonly Pick<Change, 'at' | 'by' | 'what'>[];

const began = ({ at, by }: Changed[number]) => defined({ since: iso(at), by: by?.name });

const isOneOf =
  (...whats: readonly string[]) =>
  ({ what }: Changed[number]): boolean =>
    whats.includes(what);

const isPauseOrResume = isOneOf('connection.pause', 'connection.resume');

/** Since when a consumer was paused at a moment, and by whom; undefined if that is not known. */
const pauseBefore = (changes: Changed, at: number) => {
  const last = changes.findLast(one => one.at <= at && isPauseOrResume(one));
  return last?.what === 'connection.pause' ? began(last) : undefined;
};

/** Why a consumer that subscribes now did not get a message: its first change after it tells. */
const reasonInChanges = (changes: Changed, acceptedAt: number): Reason => {
  const next = changes.find(
    one => one.at > acceptedAt && (isPauseOrResume(one) || one.what === 'connection.permit'),
  );
  if (next?.what === 'connection.resume')
    return { why: 'paused', ...pauseBefore(changes, acceptedAt), until: iso(next.at) };
  if (next?.what === 'connection.permit') return { why: 'subscribed_later', ...began(next) };
  return { why: 'changed_since' };
};

const reasonOf = (consumer: Connection, entry: Entry, changes: Changed): Reason => {
  const why = whyNot(consumer, entry);
  const { acceptedAt } = entry;
  if (why === 'created_later') return { why, since: consumer.createdAt };
  if (why === 'changed_since') return reasonInChanges(changes, acceptedAt);
  if (why !== 'paused') return { why };

  const pause = pauseBefore(changes, acceptedAt);
  if (pause) return { why, ...pause };
  // It is paused now. If that came after the message, something else kept the message from it.
  const isPausedSince = changes.some(one => one.at > acceptedAt && isPauseOrResume(one));
  return isPausedSince ? reasonInChanges(changes, acceptedAt) : { why };
};

/** The consumers that a message did not go to, each with the reason. */
export const leftOut = (
  { accepted, consumers }: MessageLife,
  connections: readonly Connection[],
  changes: readonly Change[] = [],
): readonly LeftOut[] => {
  if (!accepted) return [];
  const got = new Set(consumers.map(({ connection }) => connection));
  return connections
    .filter(({ id, kind, status }) => kind === 'consumer' && status !== 'revoked' && !got.has(id))
    .map(consumer => {
      const own = changes.filter(({ facts }) => facts['connection'] === consumer.id);
      return { connection_id: consumer.id, ...reasonOf(consumer, accepted, own) };
    });
};

/** Reasons that a look at the record of changes may tell more about. */
const recorded: ReadonlySet<LeftOut['why']> = new Set(['paused', 'changed_since']);

/** Consumers whose replays are looked at, and how many of each: a hundred at most are read. */
const lookedAt = { consumers: 20, replays: 3 } as const;

/**
 * The running replays that bring some consumers the message, by consumer: a list is read for each
 * of them, and all that is listed at once.
 */
const replaysTo = async (
  { replays, replayList }: Pick<PortalPorts, 'replays' | 'replayList'>,
  consumers: readonly Connection[],
  entry: Entry,
): Promise<ReadonlyMap<string, string>> => {
  const asked = new Map(consumers.slice(0, lookedAt.consumers).map(one => [one.id, one]));
  const lists = await Promise.all(
    [...asked.keys()].map(id => replayList.ofConnection(id, { max: lookedAt.replays })),
  );
  const found = await replays.findAll(lists.flatMap(({ entries }) => entries));
  const bringing = found.filter(replay => {
    const consumer = asked.get(replay.connection);
    const isInRange = replay.from <= entry.acceptedAt && entry.acceptedAt < replay.to;
    if (consumer === undefined || replay.status !== 'running' || !isInRange) return false;
    return includes(replay, consumer, entry);
  });
  // The newest replay of a consumer is the first of its list. A map keeps the last of a key.
  return new Map(bringing.toReversed().map(({ connection, id }) => [connection, id]));
};

interface Asked {
  readonly connections: readonly Connection[];
  /** Whose records of changes the reader may see. */
  readonly organisations: readonly string[];
}

/** Of an organisation, before the message and after it: two days of a busy house. */
const maxChanges = 500;

/**
 * What people changed before and after a message was accepted, the oldest first. Of what came
 * after, the first change tells: if there is more than one read has, none of it is told.
 */
const changesAround = async (
  { changes }: Pick<PortalPorts, 'changes'>,
  organisations: readonly string[],
  { acceptedAt }: Entry,
): Promise<readonly Change[]> => {
  const at = iso(acceptedAt);
  const found = await Promise.all(
    organisations.map(async one => {
      const [before, after] = await Promise.all([
        changes.of(one, { max: maxChanges, before: at }),
        changes.of(one, { max: maxChanges, after: at }),
      ]);
      return after.length < maxChanges ? [...before, ...after] : before;
    }),
  );
  return found.flat().sort((a, b) => a.at - b.at);
};

/**
 * The consumers that a message did not go to: as far as the last changes tell, since when and by
 * whom, and which of them a replay is about to reach.
 */
export const readLeftOut = async (
  ports: Pick<PortalPorts, 'changes' | 'replays' | 'replayList'>,
  life: MessageLife,
  { connections, organisations }: Asked,
): Promise<readonly LeftOut[]> => {
  const { accepted } = life;
  const plain = leftOut(life, connections);
  if (!accepted) return plain;
  const isTold = plain.some(({ why }) => recorded.has(why));
  const changes = isTold ? await changesAround(ports, organisations, accepted) : [];
  const told = isTold ? leftOut(life, connections, changes) : plain;
  const reachable = new Set(
    told.filter(({ why }) => reachableReasons.has(why)).map(one => one.connection_id),
  );
  const asked = connections.filter(({ id }) => reachable.has(id));
  const replayed = await replaysTo(ports, asked, accepted);
  return told.map(one => ({ ...one, ...defined({ replay_id: replayed.get(one.connection_id) }) }));
};
