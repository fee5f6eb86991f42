import { isJsonObject, type JsonObject } from '../json/value.ts';
import { type BusAccount, isLoopback } from './account.ts';
import { type BusAnswer, tokenRefusal } from './bus-answer.ts';
import { Refused } from './command.ts';

/** The network's code for a call that failed, such as ECONNREFUSED. */
export const codeOf = (fault: unknown): string => {
  const cause = isJsonObject(fault) ? fault['cause'] : undefined;
  if (!isJsonObject(cause)) return String(fault);
  if (isJsonObject(cause['cause'])) return codeOf(cause);
  return typeof cause['code'] === 'string' ? cause['code'] : String(cause['message']);
};

const unreachable = (url: string, fault: unknown): string => {
  const { origin, hostname } = new URL(url);
  const code = codeOf(fault);
  const isStopped = code === 'ECONNREFUSED' && isLoopback(hostname);
  return `Cannot reach ${origin} (${code}).${isStopped ? ' Is the service running? Start it with npm start.' : ''}`;
};

const timeoutMilliseconds = 40_000;

/** @throws Error when the bus cannot be reached, or the answer is not JSON */
export const request = async (url: string, init: RequestInit = {}): Promise<BusAnswer> => {
  const signal = init.signal ?? AbortSignal.timeout(timeoutMilliseconds);
  const response = await fetch(url, { ...init, signal }).catch((fault: unknown) => {
    throw new Error(unreachable(url, fault), { cause: fault });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!isJsonObject(body)) throw new Error(`${url} did not answer in JSON: is this the address of a bus?`);
  return { status: response.status, headers: response.headers, body };
};

/** Asks for a token: RFC 6749 section 4.4. */
export const requestToken = ({ baseUrl, client }: BusAccount): Promise<BusAnswer> => {
  const pair = [client.id, client.secret].map(encodeURIComponent).join(':');
  return request(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
};

/** The claims of a token, not verified: only for the client that asked for it. Empty when it is not a JWT. */
export const claimsOf = (token: string): JsonObject => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return isJsonObject(claims) ? claims : {};
  } catch {
    return {};
  }
};

/** One client in its own workspace. */
export interface BusSession {
  readonly workspace: string;
  readonly connection: string;
  /** Calls a path below the workspace's: a POST when there is a body. */
  call(path: string, body?: string | Uint8Array): Promise<BusAnswer>;
}

/** @throws Error when the token does not come from a bus */
export const sessionOf = ({ baseUrl }: BusAccount, token: string): BusSession => {
  const { tenant: workspace, sub } = claimsOf(token);
  if (typeof workspace !== 'string' || typeof sub !== 'string')
    throw new Error(`The token of ${baseUrl} names no workspace: is this the address of a bus?`);
  const authorization = `Bearer ${token}`;
  const initOf = (body: string | Uint8Array): RequestInit => ({
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: Buffer.from(body),
  });
  return {
    workspace,
    connection: sub,
    call: (path, body) =>
      request(
        `${baseUrl}/tenants/${workspace}/${path}`,
        body === undefined ? { headers: { authorization } } : initOf(body),
      ),
  };
};

/**
 * Gets a token; `ask` makes the call, once unless told otherwise.
 *
 * @throws Refused when the bus issues no token
 */
export const openSession = async (
  account: BusAccount,
  ask = (call: () => Promise<BusAnswer>): Promise<BusAnswer> => call(),
): Promise<BusSession> => {
  const answer = await ask(() => requestToken(account));
  const { access_token } = answer.body;
  if (typeof access_token !== 'string') throw new Refused(tokenRefusal(answer, account));
  return sessionOf(account, access_token);
};

/** How a pull asks for messages; the bus has a default for what is left out. */
export interface PullQuery {
  readonly max: number;
  /** Seconds to wait for the first message. */
  readonly wait?: number;
  /** Seconds for which the messages are hidden from other pulls. */
  readonly visibility?: number;
}

export const pull = (session: BusSession, query: PullQuery): Promise<BusAnswer> => {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return session.call(`consumers/${session.connection}/messages?${parameters.join('&')}`);
};

/** Acknowledges pulled records, or gives them back. */
export const settle = (
  session: BusSession,
  how: 'ack' | 'nack',
  records: readonly JsonObject[],
): Promise<BusAnswer> => {
  const receipt_handles = records.map(record => String(record['receipt_handle'] ?? ''));
  return session.call(`consumers/${session.connection}/${how}`, JSON.stringify({ receipt_handles }));
};
