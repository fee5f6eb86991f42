import { hash } from 'node:crypto';
import type { Entry } from '../delivery/log.ts';
import { isJsonObject, jsonIn } from '../json/value.ts';
import { entriesOf, type PlayPorts } from './play.ts';
import type { Attempt } from './record.ts';
import type { Run } from './run.ts';

const attemptOf = ({ acceptedAt, messageId, messageType, correlationId, body }: Entry): Attempt => {
  const message = jsonIn(body);
  return {
    at: acceptedAt,
    outcome: 'accepted',
    rules: [],
    messageId,
    messageType,
    correlationId,
    bodyHash: hash('sha256', body, 'base64url'),
    sizeBytes: body.byteLength,
    ...(isJsonObject(message) ? { message } : {}),
  };
};

const width = 10;

/**
 * The last look over the stories of a run: what the producer under test published there and the run was not told of, because the process
 * that should have told it stopped in between.
 */
export const missedAttempts = async (
  ports: Pick<PlayPorts, 'log'>,
  run: Run,
  known: readonly Attempt[],
): Promise<readonly Attempt[]> => {
  const ids = new Set(known.map(({ messageId }) => messageId));
  const played = run.state.cases.filter(({ steps }) => steps.length > 0);
  const missed: Attempt[] = [];
  for (let from = 0; from < played.length; from += width) {
    const some = played.slice(from, from + width);
    const found = await Promise.all(some.map(one => entriesOf(ports, run, one.correlationId)));
    const own = found
      .flat()
      .filter(({ producer, messageId }) => producer === run.producer && !ids.has(messageId));
    missed.push(...own.map(attemptOf));
  }
  return missed;
};
