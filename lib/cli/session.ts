import { Buffer } from 'node:buffer';
import { isJsonObject, type JsonObject } from '../json/value.ts';
import { type BusAccount, isLoopback } from './account.ts';
import { Refused } from './command.ts';

const named =
  'Compare SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET with what was issued; was the secret rotated, the connection revoked, or is it for another environment?';

const demo =
  'These are the demo credentials of the data folder: was the secret rotated, the connection revoked, or does the service of another folder answer there?';

/** What to look at where a bus gave no token, to follow its own words. */
export const tokenAdvice = (
  { status, body }: { readonly status: number; readonly body: { readonly error?: unknown } },
  { baseUrl, isDemo }: BusAccount,
): string => {
  if (status === 404) return ` Is ${baseUrl} the address of a bus?`;
  return body.error === 'invalid_client' ? ` ${isDemo ? demo : named}` : '';
};

/** An answer of the bus, parsed. */
export interface BusAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

/** What the network said about a call that failed, such as ECONNREFUSED. */
export const codeOf = (fault: unknown): string => {
  const cause = isJsonObject(fault) ? fault['cause'] : undefined;
  if (!isJsonObject(cause)) return String(fault);
  if (isJsonObject(cause['cause'])) return codeOf(cause);
  return typeof cause['code'] === 'string' ? cause['code'] : String(cause['message']);
};

const unreached = (url: string, fault: unknown): string => {
  const { origin, hostname } = new URL(url);
  const code = codeOf(fault);
  const isStopped = code === 'ECONNREFUSED' && isLoopback(hostname);
  return `${origin} cannot be reached (${code}).${isStopped ? ' Is it running? Start it with npm start.' : ''}`;
};

/** @throws Error when the bus cannot be reached, or what answers is no bus */
export const request = async (url: string, init: RequestInit = {}): Promise<BusAnswer> => {
  const response = await fetch(url, { ...init, signal: init.signal ?? AbortSignal.timeout(40_000) }).catch(
    (fault: unknown) => {
      throw new Error(unreached(url, fault), { cause: fault });
    },
  );
  const body: unknown = await response.json().catch(() => undefined);
  if (!isJsonObject(body)) throw new Error(`${url} did not answer in JSON: is this the address of a bus?`);
  return { status: response.status, headers: response.headers, body };
};

/** The rules that a refusal names. */
export const rulesOf = ({ body: { violations } }: BusAnswer): readonly unknown[] =>
  Array.isArray(violations) ? violations.filter(isJsonObject).map(({ rule }) => rule) : [];

/** Where a violation is: the empty pointer is the whole message. */
const placeOf = (path: unknown): string => {
  if (path === undefined) return '';
  return path === '' ? ' at the top level' : ` at ${path}`;
};

/** Whether the bus says that a connection is paused, revoked, or of the kind that another route is for. */
export const isOtherKind = (answer: BusAnswer): boolean =>
  rulesOf(answer).includes('producer.not_registered');

/** What went wrong, in one sentence: the rules of a refusal, or the error of a token request. */
export const reasonOf = ({ status, body }: BusAnswer): string => {
  const { violations, error, error_description } = body;
  if (Array.isArray(violations))
    return violations
      .filter(isJsonObject)
      .map(({ rule, message, path }) => `${rule}${placeOf(path)}: ${message}`)
      .join(' | ');
  return typeof error === 'string' ? `${error}: ${error_description}` : `status ${status}`;
};

/** What a command says that its connection was refused. */
export const refusalOf = (answer: BusAnswer): string =>
  isOtherKind(answer)
    ? `${reasonOf(answer)} tail needs a consumer, publish a producer; \`sombus doctor\` tells which this is.`
    : reasonOf(answer);

/** The records that a pull answered with. */
export const recordsOf = ({ body: { messages } }: BusAnswer): readonly unknown[] =>
  Array.isArray(messages) ? messages : [];

/** What an ack or nack of records says. */
export const receiptsOf = (records: readonly unknown[]): string =>
  JSON.stringify({
    receipt_handles: records.map(record =>
      isJsonObject(record) ? String(record['receipt_handle'] ?? '') : '',
    ),
  });

/** Asks for a token: RFC 6749 section 4.4. */
export const requestToken = ({ baseUrl, client }: BusAccount): Promise<BusAnswer> => {
  const pair = [client.id, client.secret].map(encodeURIComponent).join(':');
  return request(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
};

/** The claims of a token, unverified: whose it is, for the client that asked for it itself. None where it is no JWT. */
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
  /** Calls an address below the workspace's. */
  call(path: string, body?: string | Uint8Array): Promise<BusAnswer>;
}

/**
 * The session of a token that was issued.
 *
 * @throws Error when it is no token of a bus
 */
export const sessionOf = ({ baseUrl }: BusAccount, token: string): BusSession => {
  const { tenant: workspace, sub } = claimsOf(token);
  if (typeof workspace !== 'string' || typeof sub !== 'string')
    throw new Error(`The token of ${baseUrl} names no workspace: is this the address of a bus?`);
  const headers = { authorization: `Bearer ${token}` };
  return {
    workspace,
    connection: sub,
    call: (path, body) =>
      request(
        `${baseUrl}/tenants/${workspace}/${path}`,
        body === undefined
          ? { headers }
          : {
              method: 'POST',
              headers: { ...headers, 'content-type': 'application/json' },
              body: Buffer.from(body),
            },
      ),
  };
};

/**
 * Gets a token; `ask` makes the call, once unless told otherwise.
 *
 * @throws Refused when the bus gives no token
 */
export const openSession = async (
  account: BusAccount,
  ask = (call: () => Promise<BusAnswer>): Promise<BusAnswer> => call(),
): Promise<BusSession> => {
  const answer = await ask(() => requestToken(account));
  const { access_token } = answer.body;
  if (typeof access_token !== 'string')
    throw new Refused(`${reasonOf(answer)}${tokenAdvice(answer, account)}`);
  return sessionOf(account, access_token);
};

/** How a session waits, and to whom it says so. */
export interface Waiting {
  pause(seconds: number): Promise<void>;
  say(line: string): void;
}

type Call = () => Promise<BusAnswer>;

/** Tries in a row: some five minutes. */
const attempts = 10;
const longestSeconds = 60;

/** How long to wait before the next try; undefined where the answer stands, as a day's quota does. */
const pauseAfter = ({ status, headers }: BusAnswer, attempt: number): number | undefined => {
  if (status !== 429 && status !== 503) return undefined;
  const wanted = Number(headers.get('retry-after') ?? Math.min(2 ** (attempt - 1), longestSeconds));
  return wanted <= longestSeconds ? wanted : undefined;
};

/** Calls until the answer stands. What cannot be reached is tried again only where the bus was reached before. */
const persistently = async (call: Call, { pause, say }: Waiting, reached: boolean): Promise<BusAnswer> => {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await call().catch((fault: unknown) => {
      if (!reached || attempt === attempts || !(fault instanceof Error)) throw fault;
      return fault;
    });
    const isFault = outcome instanceof Error;
    const seconds = isFault ? Math.min(2 ** (attempt - 1), longestSeconds) : pauseAfter(outcome, attempt);
    if (!isFault && (seconds === undefined || attempt === attempts)) return outcome;
    say(`waiting ${seconds} s: ${isFault ? outcome.message : reasonOf(outcome)}`);
    await pause(seconds ?? 0);
  }
};

/**
 * A session that outlives its tokens, and the bus's bad moments: it renews a token once when it is refused, and waits
 * when the bus is busy or gone.
 *
 * @throws Refused when the bus gives no token
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
