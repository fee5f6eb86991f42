import { type Clock, type Ids, identifier, identifierBytes } from '../contract/outside.ts';
import type { Log } from '../delivery/log.ts';
import type { Credentials } from '../registry/credentials.ts';
import { type Declined, declined } from '../registry/operator.ts';
import { problemWithRange, problemWithType, type Replay, type ReplayRange, type Replays } from './replay.ts';

/** What the operator's replay commands work with. */
export interface ReplayCommandPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly connections: Credentials;
  readonly log: Pick<Log, 'head'>;
  readonly replays: Replays;
  readonly archiveDays: number;
}

const problemWithCorrelation = async (
  { log }: ReplayCommandPorts,
  workspace: string,
  correlationId: string | undefined,
): Promise<string | undefined> =>
  correlationId === undefined || (await log.head({ workspace, correlationId })).last > 0
    ? undefined
    : `Nothing was ever accepted with the correlation_id ${correlationId} in the workspace ${workspace}.`;

/** Starts a replay to one consumer. The scheduled run does the work. */
export const startReplay = async (
  ports: ReplayCommandPorts,
  connectionId: string,
  range: ReplayRange,
): Promise<Replay | Declined> => {
  const now = ports.clock.now();
  const problem = problemWithRange(range, { now, archiveDays: ports.archiveDays });
  if (problem !== undefined) return declined(problem);
  const connection = (await ports.connections.find(connectionId))?.connection;
  if (connection?.kind !== 'consumer' || connection.status !== 'active') {
    return declined(
      connection?.kind === 'consumer' && connection.status === 'paused'
        ? `The connection ${connectionId} is paused, so it gets nothing: resume it first.`
        : `There is no active consumer connection ${connectionId}.`,
    );
  }
  const { workspace } = connection;
  const typeProblem = problemWithType(range.type, connection);
  if (typeProblem !== undefined) return declined(typeProblem);
  const unknown = await problemWithCorrelation(ports, workspace, range.correlationId);
  if (unknown !== undefined) return declined(unknown);
  const replay: Replay = {
    ...range,
    id: identifier('y', ports.ids.random(identifierBytes)),
    connection: connectionId,
    workspace,
    status: 'running',
    createdAt: now,
    sent: 0,
    next: 1,
    reached: range.from,
    waiting: [],
  };
  await ports.replays.add(replay);
  return replay;
};
