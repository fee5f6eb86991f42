import {
  type Connection,
  type Credentials,
  isRegistered,
} from '../../access/registry/connection.ts';
import { type Declined, declined, isDeclined } from '../../access/registry/declined.ts';
import {
  overlaps,
  problemWithPattern,
  problemWithUnknownTypes,
} from '../../access/registry/patterns.ts';
import { replaySlots } from '../../access/registry/slots.ts';
import { canonicalUuid, identifier, identifierBytes } from '../../contract/identifiers.ts';
import { dayMilliseconds } from '../../contract/limits.ts';
import { type Clock, defined, type Ids, iso } from '../../contract/outside.ts';
import type { Log } from '../delivery/log.ts';
import { type Replay, type ReplayRange, type Replays, readsFrom } from './replay.ts';

interface ArchiveFacts {
  readonly now: number;
  readonly archiveDays: number;
}

const archiveBegin = ({ now, archiveDays }: ArchiveFacts): number =>
  now - archiveDays * dayMilliseconds;

/** What is wrong with a range, in a sentence for the operator; undefined when nothing is. */
export const problemWithRange = (
  { from, to }: ReplayRange,
  archive: ArchiveFacts,
): string | undefined => {
  if (from >= to) return 'The range is empty: its start must be before its end.';
  if (to > archive.now) return `The range ends in the future: now is ${iso(archive.now)}.`;
  const begin = archiveBegin(archive);
  if (to <= begin)
    return (
      `The archive keeps ${archive.archiveDays} days: the range ends before its beginning, ` +
      `${iso(begin)}.`
    );
  return undefined;
};

/**
 * The part of a range that a consumer can get, and a sentence if that begins later than what was
 * asked for.
 */
export const readablePart = (
  range: ReplayRange,
  consumer: Connection,
  archive: ArchiveFacts,
): { range: ReplayRange; note?: string } => {
  const begin = archiveBegin(archive);
  const since = readsFrom(consumer);
  const from = Math.max(range.from, begin, since);
  if (from === range.from) return { range };
  const reason =
    since > begin
      ? 'A guest gets what was accepted since its invitation'
      : `The archive keeps ${archive.archiveDays} days`;
  return { range: { ...range, from }, note: `${reason}: the range begins at ${iso(from)}.` };
};

export interface RequestedType extends Pick<ReplayRange, 'type'> {
  readonly force?: boolean;
}

/**
 * What is wrong with a replay of a type to a consumer, in a sentence for the operator; undefined
 * when nothing is.
 */
export const problemWithType = (
  { type, force = false }: RequestedType,
  { id, receives }: Pick<Connection, 'id' | 'receives'>,
): string | undefined => {
  if (type === undefined) return undefined;
  const problem = problemWithPattern(type) ?? (force ? undefined : problemWithUnknownTypes([type]));
  if (problem !== undefined) return problem;
  if (receives.some(pattern => overlaps(pattern, type))) return undefined;
  return `The connection ${id} receives no ${type}: it receives ${receives.join(', ') || 'nothing'}.`;
};

export interface ReplayCheckPorts {
  readonly clock: Clock;
  readonly connections: Pick<Credentials, 'find'>;
  readonly log: Pick<Log, 'head'>;
  readonly archiveDays: number;
}

interface ReplayCommandPorts extends ReplayCheckPorts {
  readonly ids: Ids;
  readonly replays: Pick<Replays, 'add'>;
}

/** A guest is not told whether there is one: it gets nothing of what it may not read. */
const problemWithCorrelation = async (
  { log }: ReplayCheckPorts,
  { workspace, guestSince }: Connection,
  correlationId: string | undefined,
): Promise<string | undefined> => {
  if (correlationId === undefined || guestSince !== undefined) return undefined;
  const { last } = await log.head({ workspace, correlationId });
  if (last > 0) return undefined;
  return `Nothing was ever accepted with the correlation_id ${correlationId} in the workspace ${workspace}.`;
};

interface CheckedReplay {
  readonly kind: 'checked';
  readonly consumer: Connection;
  /** The part of the range that the consumer can get. */
  readonly range: ReplayRange;
  /** Says that it begins later than what was asked for. */
  readonly note?: string;
}

/** Why a consumer gets nothing of a range now; undefined when it can. */
const problemWithConsumer = (connection: Connection, { to }: ReplayRange): string | undefined => {
  const { id, status, guestSince } = connection;
  if (status === 'paused')
    return `The connection ${id} is paused, so it gets nothing: resume it first.`;
  if (to <= readsFrom(connection))
    return (
      `The connection ${id} belongs to a guest, who gets what was accepted since ` +
      `${guestSince}: end the range later.`
    );
  return undefined;
};

/** Whether a replay may start, and which part of the range its consumer can get. */
export const checkReplay = async (
  ports: ReplayCheckPorts,
  connectionId: string,
  { force = false, correlationId, messageId, ...rest }: ReplayRange & RequestedType,
): Promise<CheckedReplay | Declined> => {
  const range: ReplayRange = defined({
    ...rest,
    correlationId: correlationId && canonicalUuid(correlationId),
    messageId: messageId && canonicalUuid(messageId),
  });
  const archive = { now: ports.clock.now(), archiveDays: ports.archiveDays };
  const problem = problemWithRange(range, archive);
  if (problem !== undefined) return declined(problem);

  const connection = (await ports.connections.find(connectionId))?.connection;
  if (!isRegistered(connection) || connection.kind !== 'consumer')
    return declined(`There is no active consumer connection ${connectionId}.`);
  const connectionProblem = problemWithConsumer(connection, range);
  if (connectionProblem !== undefined) return declined(connectionProblem);

  const typeProblem = problemWithType({ ...range, force }, connection);
  if (typeProblem !== undefined) {
    const canBeForced = problemWithType({ ...range, force: true }, connection) === undefined;
    return declined(typeProblem, canBeForced);
  }

  const correlationProblem = await problemWithCorrelation(ports, connection, range.correlationId);
  if (correlationProblem !== undefined) return declined(correlationProblem);
  return { kind: 'checked', consumer: connection, ...readablePart(range, connection, archive) };
};

export const startReplay = async (
  ports: ReplayCommandPorts,
  connectionId: string,
  wanted: ReplayRange & RequestedType,
): Promise<(Replay & Pick<CheckedReplay, 'note'>) | Declined> => {
  const checked = await checkReplay(ports, connectionId, wanted);
  if (isDeclined(checked)) return checked;

  const { consumer, range, note } = checked;
  const replay: Replay = {
    ...range,
    id: identifier('y', ports.ids.random(identifierBytes)),
    connection: connectionId,
    workspace: consumer.workspace,
    status: 'running',
    createdAt: ports.clock.now(),
    sent: 0,
    next: 1,
    reached: range.from,
    waiting: [],
  };
  const full = await ports.replays.add(replay, replaySlots(consumer));
  return full ?? defined({ ...replay, note });
};

/** What was sent before stays in the queue. Undefined if there is no such replay. */
export const cancelReplay = async (
  { replays }: { replays: Pick<Replays, 'find' | 'end'> },
  id: string,
): Promise<Replay | Declined | undefined> => {
  const hasEnded = await replays.end(id, { status: 'cancelled' });
  const replay = await replays.find(id);
  if (!replay || hasEnded) return replay;
  return declined(`The replay ${id} is not running: it is ${replay.status}.`);
};
