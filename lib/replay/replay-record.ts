import { percentOf, type Replay } from './replay.ts';

const iso = (time: number): string => new Date(time).toISOString();

export const replayFacts = ({ id, from, to, type, correlationId }: Replay) => ({
  replay: id,
  from: iso(from),
  to: iso(to),
  ...(type === undefined ? {} : { type }),
  ...(correlationId === undefined ? {} : { correlation: correlationId }),
});

export const replaySummary = (replay: Replay) => ({
  replay_id: replay.id,
  status: replay.status,
  connection_id: replay.connection,
  from: iso(replay.from),
  to: iso(replay.to),
  sent: replay.sent,
  percent: percentOf(replay),
  created_at: iso(replay.createdAt),
});

export const replayRecord = (replay: Replay) => ({
  replay_id: replay.id,
  status: replay.status,
  ...(replay.reason === undefined ? {} : { reason: replay.reason }),
  connection_id: replay.connection,
  from: iso(replay.from),
  to: iso(replay.to),
  ...(replay.type === undefined ? {} : { type: replay.type }),
  ...(replay.correlationId === undefined ? {} : { correlation_id: replay.correlationId }),
  sent: replay.sent,
  ...(replay.waiting?.length ? { waiting_for: replay.waiting.map(log => log.correlationId) } : {}),
  ...(replay.problem === undefined ? {} : { problem: replay.problem }),
  percent: percentOf(replay),
  reached: iso(replay.reached),
  created_at: iso(replay.createdAt),
});
