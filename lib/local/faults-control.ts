import type { IncomingMessage } from 'node:http';
import { readOneTimeKey, writeOneTimeKey } from '../engines/oidc/one-time-key.ts';
import { type HttpResponse, response } from '../http/response.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import type { FaultInjector } from './faults.ts';
import { isFaults } from './faults.ts';
import { derivedSecret } from './sign-in.ts';
import type { SigningKey } from './sigv4.ts';

/** Where the commands list and set the faults of a local service: at the bus's port, below no version. */
export const faultsPath = '/local/faults';

const keyMilliseconds = 60_000;
const purpose = 'faults';

/** What a command shows to the service: only who can read the operator's key can make it. */
export const faultsKey = (operator: SigningKey, now: number): string =>
  writeOneTimeKey(derivedSecret(operator, purpose), { name: purpose, until: now + keyMilliseconds });

const maxBytes = 4_096;

/** The JSON object of a request; undefined when it has none, or too large a one. */
const bodyOf = async (request: IncomingMessage): Promise<JsonObject | undefined> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > maxBytes) return undefined;
  }
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
};

const isLoopback = (address = ''): boolean => /^(::ffff:)?127\.|^::1$/.test(address);

/** The response to a request that is not for a route of the bus; undefined when it is none of the operator on this machine. */
export type Control = (path: string, request: IncomingMessage) => Promise<HttpResponse | undefined>;

/** Lists the faults (GET), or replaces those of one connection (PUT with `connection` and `faults`). */
export const faultsControl = (injector: FaultInjector, operator: SigningKey, now: () => number): Control => {
  const secret = derivedSecret(operator, purpose);
  const isOperator = ({ socket, headers }: IncomingMessage): boolean => {
    const [, key = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    return isLoopback(socket.remoteAddress) && readOneTimeKey(secret, key, now()) !== undefined;
  };
  return async function controlFaults(path, request) {
    if (path !== faultsPath || !isOperator(request)) return undefined;
    if (request.method === 'PUT') {
      const { connection, faults } = (await bodyOf(request)) ?? {};
      if (typeof connection !== 'string' || !isFaults(faults))
        return response(400, { error: 'A connection and its faults are expected.' });
      injector.set(connection, faults);
    }
    return response(200, { faults: injector.list() });
  };
};
