import { type Attempt, type Send, sender, Unanswered } from '../client/attempts.ts';
import { type Bus, connect } from '../client/index.ts';
import { type Outside, systemOutside } from '../client/outside.ts';
import { sessionOf } from '../client/session.ts';
import { tokensOf } from '../client/tokens.ts';
import { type Answer, type TokenRefused, UnexpectedAnswer } from '../client/verdict.ts';
import { isJsonObject, type JsonObject, jsonIn } from '../json/value.ts';
import { type BusAccount, isLoopback } from './account.ts';
import { Refused } from './command.ts';

export type BusAnswer = Pick<Answer, 'status'> &
  Partial<Pick<Answer, 'date'>> & { readonly body: JsonObject };

export const rulesOf = ({ body: { violations } }: BusAnswer): readonly unknown[] =>
  Array.isArray(violations) ? violations.filter(isJsonObject).map(({ rule }) => rule) : [];

/** Where a violation is: the empty pointer is the whole message. */
const placeOf = (path: unknown): string => {
  if (path === undefined) return '';
  return path === '' ? ' at the top level' : ` at ${path}`;
};

export const reasonOf = ({ status, body: { violations } }: BusAnswer): string =>
  Array.isArray(violations)
    ? violations
        .filter(isJsonObject)
        .map(({ rule, message, path }) => `${rule}${placeOf(path)}: ${message}`)
        .join(' | ')
    : `status ${status}`;

/** Whether the connection is paused, revoked, or of the other kind: the bus does not say which. */
export const isOtherKind = (answer: BusAnswer): boolean =>
  rulesOf(answer).includes('producer.not_registered');

export const otherKindAdvice =
  'Publishing needs a producer and tailing needs a consumer: run `sombus doctor` to see which this connection is.';

export const recordsOf = ({ body: { messages } }: BusAnswer): readonly JsonObject[] =>
  Array.isArray(messages) ? messages.filter(isJsonObject) : [];

/**
 * The records of a pull, an ack or a nack.
 *
 * @throws Refused when the bus refused the call
 */
export const acceptedRecords = (answer: BusAnswer): readonly JsonObject[] => {
  if (answer.status === 200) return recordsOf(answer);
  throw new Refused(isOtherKind(answer) ? `${reasonOf(answer)} ${otherKindAdvice}` : reasonOf(answer));
};

const namedAdvice =
  'Check SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET. Was the secret rotated or the connection revoked, or do they belong to another environment?';

const demoAdvice =
  'These are the demo credentials of the data folder. Was the secret rotated or the connection revoked, or is a service with a different data folder listening there?';

/** Why the bus did not issue a token, and what to check. */
const tokenRefusal = (refusal: TokenRefused | UnexpectedAnswer, { baseUrl, isDemo }: BusAccount): Refused => {
  const { status } = refusal;
  if (refusal instanceof UnexpectedAnswer)
    return new Refused(`status ${status}${status === 404 ? ` Is ${baseUrl} the address of a bus?` : ''}`);
  const reason = `${refusal.error}: ${refusal.description}`;
  if (status === 404) return new Refused(`${reason} Is ${baseUrl} the address of a bus?`);
  if (refusal.error !== 'invalid_client') return new Refused(reason);
  return new Refused(`${reason} ${isDemo ? demoAdvice : namedAdvice}`);
};

/** The network error code of a failed call, such as ECONNREFUSED. */
export const codeOf = (fault: unknown): string => {
  const cause = isJsonObject(fault) ? fault['cause'] : undefined;
  if (!isJsonObject(cause)) return String(fault);
  if (isJsonObject(cause['cause'])) return codeOf(cause);
  return typeof cause['code'] === 'string' ? cause['code'] : String(cause['message']);
};

/** What a command throws when a call fails: in place of `Unanswered`, what the user can do. */
const failure = (url: string, fault: unknown): unknown => {
  if (!(fault instanceof Unanswered)) return fault;
  const { origin, hostname } = new URL(url);
  const code = codeOf(fault);
  const isStopped = code === 'ECONNREFUSED' && isLoopback(hostname);
  const advice = isStopped ? ' Is the service running? Start it with npm start.' : '';
  return new Error(`Cannot reach ${origin} (${code}).${advice}`, { cause: fault.cause });
};

const answerIn = (url: string, { status, text, date }: Answer): BusAnswer => {
  const body = jsonIn(text);
  if (!isJsonObject(body)) throw new Error(`${url} did not answer in JSON: is this the address of a bus?`);
  return { status, body, date };
};

/** How long a call may take: once, and with the attempts of a patient session. A rate limit lasts five minutes at most. */
const milliseconds = { attempt: 40_000, patience: 600_000 };

/** A call without a token, made once. @throws Error when the bus cannot be reached, or the answer is not JSON */
export const request = async (url: string, init: RequestInit = {}): Promise<BusAnswer> => {
  const send = sender(
    systemOutside,
    () => undefined,
    () => false,
  );
  const call = { route: 'other', url, init, timeoutMilliseconds: milliseconds.attempt } as const;
  const bounds = { deadline: systemOutside.now() + milliseconds.attempt };
  const answer = await send(call, bounds).catch((fault: unknown) => {
    throw failure(url, fault);
  });
  return answerIn(url, answer);
};

export interface BusSession {
  /** As its token names it, like the next two. */
  readonly workspace: string;
  readonly connection: string;
  readonly issuer: string;
  /** Calls a path below the workspace: a POST if there is a body. @throws Refused if the bus issues no token */
  call(path: string, body?: string | Uint8Array): Promise<BusAnswer>;
}

/** For a session that waits while the bus is busy, and while it is away if it was there before. */
export interface Patience {
  say(line: string): void;
  readonly outside?: Partial<Outside>;
}

const senderFor = (outside: Outside, patience: Patience | undefined): Send => {
  const tell = ({ status, fault, retryInMilliseconds: pause }: Attempt) => {
    if (pause !== undefined)
      patience?.say(`retrying in ${Math.ceil(pause / 1000)} s: ${fault ?? `status ${status}`}`);
  };
  let reached = false;
  return sender(outside, tell, ({ status }) => {
    reached ||= status !== undefined;
    return patience !== undefined && reached;
  });
};

/** The claims of a token, not verified: only for the client that asked for it. */
const claimsOf = (token: string): JsonObject => {
  const claims = jsonIn(Buffer.from(token.split('.')[1] ?? '', 'base64url'));
  return isJsonObject(claims) ? claims : {};
};

/**
 * The client's session of an account; the token names the workspace.
 *
 * @param patience absent: each call is made once
 * @throws Refused if the bus does not issue a token
 */
export const openSession = async (account: BusAccount, patience?: Patience): Promise<BusSession> => {
  const { baseUrl, client } = account;
  const credentials = { baseUrl, clientId: client.id, clientSecret: client.secret };
  const outside = { ...systemOutside, ...patience?.outside };
  const send = senderFor(outside, patience);
  const tokens = tokensOf(credentials, send, outside);
  const bounds = () => ({
    deadline: outside.now() + (patience ? milliseconds.patience : milliseconds.attempt),
  });
  const issued = async <T extends Answer | string>(result: Promise<T | TokenRefused>): Promise<T> => {
    const found = await result.catch((fault: unknown) => {
      throw fault instanceof UnexpectedAnswer ? tokenRefusal(fault, account) : failure(baseUrl, fault);
    });
    if (typeof found === 'object' && 'outcome' in found) throw tokenRefusal(found, account);
    return found;
  };
  const { tenant: workspace, sub, iss } = claimsOf(await issued(tokens.get(bounds())));
  if (typeof workspace !== 'string' || typeof sub !== 'string' || typeof iss !== 'string')
    throw new Refused(
      `The token from ${baseUrl} is not one of a bus: it is not a JWT with iss, sub and tenant.`,
    );
  const session = sessionOf({ ...credentials, workspace }, send, tokens);
  return {
    workspace,
    connection: sub,
    issuer: iss,
    async call(path, body) {
      const timeoutMilliseconds = milliseconds.attempt;
      const call = {
        route: 'other',
        path,
        timeoutMilliseconds,
        ...(body === undefined ? {} : { body }),
      } as const;
      return answerIn(`${baseUrl}/${path}`, await issued(session(call, bounds())));
    },
  };
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

export const settle = (
  session: BusSession,
  how: 'ack' | 'nack',
  records: readonly JsonObject[],
): Promise<BusAnswer> => {
  const receipt_handles = records.map(record => String(record['receipt_handle'] ?? ''));
  return session.call(`consumers/${session.connection}/${how}`, JSON.stringify({ receipt_handles }));
};
