import { type Bus, connect } from '../client/index.ts';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import { type BusAccount, isLoopback } from './account.ts';
import { type BusAnswer, reasonOf, tokenRefusal } from './bus-answer.ts';
import { Refused } from './command.ts';

/** The network error code of a failed call, such as ECONNREFUSED. */
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
  /** Calls a path below the workspace: a POST if there is a body. */
  call(path: string, body?: string | Uint8Array): Promise<BusAnswer>;
}

/** @throws Error if the token was not issued by a bus */
export const sessionOf = ({ baseUrl }: BusAccount, token: string): BusSession => {
  const { tenant: workspace, sub } = claimsOf(token);
  if (typeof workspace !== 'string' || typeof sub !== 'string')
    throw new Error(`The token from ${baseUrl} does not name a workspace: is this the address of a bus?`);
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
 * Gets a token; `ask` makes the call, by default once.
 *
 * @throws Refused if the bus does not issue a token
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

/**
 * The package's client for an account, whose token names the workspace.
 *
 * @throws Refused if the bus does not issue a token
 */
export const openBus = async (account: BusAccount): Promise<Bus> => {
  const { workspace } = await openSession(account);
  const { id: clientId, secret: clientSecret } = account.client;
  return connect({ baseUrl: account.baseUrl, workspace, clientId, clientSecret });
};

/** The query of a pull; the bus has a default for each omitted parameter. */
interface PullQuery {
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

/** Acknowledges pulled records, or returns them to the queue. */
export const settle = (
  session: BusSession,
  how: 'ack' | 'nack',
  records: readonly JsonObject[],
): Promise<BusAnswer> => {
  const receipt_handles = records.map(record => String(record['receipt_handle'] ?? ''));
  return session.call(`consumers/${session.connection}/${how}`, JSON.stringify({ receipt_handles }));
};

/** How a session waits, and where it reports that. */
interface Waiting {
  pause(seconds: number): Promise<void>;
  say(line: string): void;
}

type Call = () => Promise<BusAnswer>;

/** About five minutes in all, for a bus that does not respond as it should. */
const maxAttempts = 10;
const maxPauseSeconds = 60;

/** The longest time that a rate limit asks for: that of the token URL. What asks for more is a daily quota. */
const maxRateSeconds = 300;

const backoffSeconds = (attempt: number): number => Math.min(2 ** (attempt - 1), maxPauseSeconds);

/** How long to wait before the next attempt; undefined if waiting does not help, as with a daily quota. */
const pauseAfter = ({ status, headers }: BusAnswer, attempt: number): number | undefined => {
  if (status !== 429 && status !== 503) return undefined;
  const wanted = Number(headers.get('retry-after') ?? backoffSeconds(attempt));
  return wanted <= (status === 429 ? maxRateSeconds : maxPauseSeconds) ? wanted : undefined;
};

/** Calls until the answer is final. An unreachable bus is retried only if it was reached before, and a rate limit for as long as it lasts. */
const persistently = async (call: Call, { pause, say }: Waiting, reached: boolean): Promise<BusAnswer> => {
  let attempt = 0;
  for (;;) {
    attempt += 1;
    const outcome = await call().catch((fault: unknown) => {
      if (!reached || attempt === maxAttempts || !(fault instanceof Error)) throw fault;
      return fault;
    });
    const isFault = outcome instanceof Error;
    const seconds = isFault ? backoffSeconds(attempt) : pauseAfter(outcome, attempt);
    if (!isFault && (seconds === undefined || attempt === maxAttempts)) return outcome;
    if (!isFault && outcome.status === 429) attempt = 0;
    say(`retrying in ${seconds} s: ${isFault ? outcome.message : reasonOf(outcome)}`);
    await pause(seconds ?? 0);
  }
};

/**
 * A session that outlives its tokens and the bus's outages: it renews a refused token once, and waits while the bus is
 * busy or unreachable.
 *
 * @throws Refused if the bus does not issue a token
 */
export const steadySession = async (account: BusAccount, waiting: Waiting): Promise<BusSession> => {
  let session = await openSession(account, call => persistently(call, waiting, false));
  const steadily = (call: Call): Promise<BusAnswer> => persistently(call, waiting, true);
  return {
    workspace: session.workspace,
    connection: session.connection,
    async call(path, body) {
      const answer = await steadily(() => session.call(path, body));
      if (answer.status !== 401) return answer;
      session = await openSession(account, steadily);
      return steadily(() => session.call(path, body));
    },
  };
};
