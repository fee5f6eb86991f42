import type { Clock } from '../contract/outside.ts';
import type { IssuedConnection } from '../registry/secrets.ts';
import { type BusResponse, type BusSession, openSession } from './bus.ts';

/** Seconds. API Gateway takes a few to know a new key, and refuses its connection until then. */
const patience = 60;
const pause = 2;

/** A call that changes nothing: an empty dry run, or the list of skills. */
const probe = ({ connection, call }: BusSession, kind: 'producer' | 'consumer'): Promise<BusResponse> =>
  kind === 'producer' ? call('validate', '{}') : call(`consumers/${connection}/skills`);

/**
 * Waits until the bus lets a new connection in.
 *
 * @returns false if it still does not after a minute
 * @throws Refused if the bus does not issue a token
 */
export const awaitConnection = async (
  { connection, clientSecret }: IssuedConnection,
  baseUrl: string,
  clock: Clock,
): Promise<boolean> => {
  const session = await openSession({ baseUrl, client: { id: connection.id, secret: clientSecret } });
  const until = clock.now() + patience * 1000;
  for (;;) {
    const { status } = await probe(session, connection.kind);
    if (status !== 403 && status !== 401 && status < 500) return true;
    if (clock.now() + pause * 1000 > until) return false;
    await clock.sleep(pause * 1000);
  }
};
