import { createWorkspace } from '../../access/people/organisations.ts';
import { createConnection } from '../../access/registry/connections.ts';
import type { IssuedConnection } from '../../access/registry/secrets.ts';
import { defined } from '../../contract/outside.ts';
import { type Attempt, NoResponse, type Send, sender } from '../../kit/client/attempts.ts';
import { isLoopback } from '../../kit/client/bus-url.ts';
import { type Bus, connect } from '../../kit/client/index.ts';
import { type Outside, systemOutside } from '../../kit/client/outside.ts';
import { envelopeTexts } from '../../kit/client/queue.ts';
import { sessionOf } from '../../kit/client/session.ts';
import { tokensOf } from '../../kit/client/tokens.ts';
import {
  type FullResponse,
  type TokenRefused,
  UnexpectedResponse,
} from '../../kit/client/verdict.ts';
import { isJsonObject, type JsonObject, jsonIn, objectsIn } from '../../platform/json/value.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import type { BusAccount } from './account.ts';
import { accepted, CommandRefused } from './failures.ts';

export type BusResponse = Pick<FullResponse, 'status'> &
  Partial<Pick<FullResponse, 'date' | 'rateLimit' | 'text'>> & { readonly body: JsonObject };

export const rulesOf = ({ body }: BusResponse): readonly unknown[] =>
  objectsIn(body['violations']).map(({ rule }) => rule);

export const violationText = ({ rule, message, path }: JsonObject): string => {
  const place = path === '' ? ' at the top level' : ` at ${path}`;
  return `${rule}${path === undefined ? '' : place}: ${message}`;
};

export const reasonOf = ({ status, body }: BusResponse): string =>
  objectsIn(body['violations']).map(violationText).join(' | ') || `status ${status}`;

/** @throws CommandRefused with the bus's reason */
export const acceptedBody = (response: BusResponse): JsonObject => {
  if (response.status < 300) return response.body;
  throw new CommandRefused(reasonOf(response));
};

/** Whether the connection is paused, revoked, or of the other kind: the bus does not say which. */
export const isOtherKind = (response: BusResponse): boolean =>
  rulesOf(response).includes('producer.not_registered');

/** Whether the portal answered: its errors have a code where those of the bus have violations. */
export const isOfPortal = ({ status, body }: BusResponse): boolean =>
  status === 404 && body['code'] === 'route.not_found';

export const portalAdvice =
  'it is the portal of one. Give the URL of the bus: the page of a connection shows it, and ' +
  '`sombus env` prints it.';

export const otherKindAdvice =
  'Publishing needs a producer and tailing needs a consumer: run `sombus doctor` to see which ' +
  'this connection is.';

export const recordsOf = ({ body }: BusResponse): readonly JsonObject[] =>
  objectsIn(body['messages']);

/**
 * A pulled record as one line of JSON, its message as its producer wrote it: with every digit, and
 * in its order.
 */
export const recordLine = (record: JsonObject, envelope: string): string => {
  const members = Object.entries(record).map(([name, value]) => {
    // Between members, a line break is a space; within a text, JSON escapes it.
    const text = name === 'envelope' ? envelope.replaceAll(/[\r\n]/g, ' ') : JSON.stringify(value);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(',')}}`;
};

/** The messages in the response to a pull, as their producers wrote them. */
export const envelopesIn = ({ text = '' }: BusResponse): readonly string[] => envelopeTexts(text);

/** The records of a pull, an ack or a nack. @throws CommandRefused when the bus refused the call */
export const acceptedRecords = (response: BusResponse): readonly JsonObject[] => {
  if (response.status === 200) return recordsOf(response);
  const reason = reasonOf(response);
  throw new CommandRefused(isOtherKind(response) ? `${reason} ${otherKindAdvice}` : reason);
};

const namedAdvice =
  'Check SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET. Was the secret rotated or the connection ' +
  'revoked, or do they belong to another environment?';

const demoAdvice =
  'These are the demo credentials of the data folder. Was the secret rotated or the ' +
  'connection revoked, or is a service with a different data folder listening there?';

const tokenRefusal = (
  refusal: TokenRefused | UnexpectedResponse,
  { baseUrl, isDemo }: BusAccount,
): CommandRefused => {
  const { status } = refusal;
  const isUnexpected = refusal instanceof UnexpectedResponse;
  const reason = isUnexpected ? `status ${status}` : `${refusal.error}: ${refusal.description}`;
  if (status === 404) return new CommandRefused(`${reason} Is ${baseUrl} the URL of a bus?`);
  if (isUnexpected || refusal.error !== 'invalid_client') return new CommandRefused(reason);
  return new CommandRefused(`${reason} ${isDemo ? demoAdvice : namedAdvice}`);
};

export const codeOf = (error: unknown): string => {
  const cause = isJsonObject(error) ? error['cause'] : undefined;
  if (!isJsonObject(cause)) return String(error);
  if (isJsonObject(cause['cause'])) return codeOf(cause);
  if (typeof cause['code'] === 'string') return cause['code'];
  return String(cause['message']);
};

const failure = (url: string, error: unknown): unknown => {
  if (!(error instanceof NoResponse)) return error;
  const { origin, hostname } = new URL(url);
  const code = codeOf(error);
  const isStopped = code === 'ECONNREFUSED' && isLoopback(hostname);
  const advice = isStopped ? ' Is the service running? Start it with npm start.' : '';
  return new Error(`Cannot reach ${origin} (${code}).${advice}`, { cause: error.cause });
};

const responseIn = (url: string, { status, text, date, rateLimit }: FullResponse): BusResponse => {
  const body = jsonIn(text);
  if (!isJsonObject(body))
    throw new Error(`${url} did not answer in JSON: is this the URL of a bus?`);
  return { status, body, date, rateLimit, text };
};

/**
 * How long a call may take: once, and with the attempts of a patient session. A rate limit lasts
 * five minutes at most.
 */
const milliseconds = { attempt: 40_000, patience: 600_000 };

/**
 * A call without a token, made once.
 *
 * @throws Error when the bus cannot be reached, or the response is not JSON
 */
export const request = async (url: string, init: RequestInit = {}): Promise<BusResponse> => {
  const send = sender(
    systemOutside,
    () => undefined,
    () => false,
  );
  const call = { route: 'other', url, init, timeoutMilliseconds: milliseconds.attempt } as const;
  const bounds = { deadline: systemOutside.now() + milliseconds.attempt };
  const response = await send(call, bounds).catch((error: unknown) => {
    throw failure(url, error);
  });
  return responseIn(url, response);
};

export interface BusSession {
  readonly workspace: string;
  readonly connection: string;
  readonly issuer: string;
  /**
   * Calls a path below the workspace: a POST if there is a body.
   *
   * @throws CommandRefused if the bus issues no token
   */
  call(path: string, body?: string | Uint8Array): Promise<BusResponse>;
}

interface Patience {
  say(line: string): void;
  readonly outside?: Partial<Outside>;
}

const senderFor = (outside: Outside, patience: Patience | undefined): Send => {
  const tell = ({ status, error, retryInMilliseconds: pause }: Attempt) => {
    if (pause !== undefined)
      patience?.say(`retrying in ${Math.ceil(pause / 1000)} s: ${error ?? `status ${status}`}`);
  };
  let reached = false;
  return sender(outside, tell, ({ status }) => {
    reached ||= status !== undefined;
    return patience !== undefined && reached;
  });
};

/** The claims of a token, not verified: only for whoever holds it. */
export const claimsOf = (token: string): JsonObject => {
  const claims = jsonIn(Buffer.from(token.split('.')[1] ?? '', 'base64url'));
  return isJsonObject(claims) ? claims : {};
};

/**
 * The client's session of an account; the token names the workspace.
 *
 * @param patience absent: each call is made once
 * @throws CommandRefused if the bus does not issue a token
 */
export const openSession = async (
  account: BusAccount,
  patience?: Patience,
): Promise<BusSession> => {
  const { baseUrl, client } = account;
  const credentials = { baseUrl, clientId: client.id, clientSecret: client.secret };
  const outside = { ...systemOutside, ...patience?.outside };
  const send = senderFor(outside, patience);
  const tokens = tokensOf(credentials, send, outside);
  const bounds = () => ({
    deadline: outside.now() + (patience ? milliseconds.patience : milliseconds.attempt),
  });
  const issued = async <T extends FullResponse | string>(
    result: Promise<T | TokenRefused>,
  ): Promise<T> => {
    const found = await result.catch((error: unknown) => {
      if (error instanceof UnexpectedResponse) throw tokenRefusal(error, account);
      throw failure(baseUrl, error);
    });
    if (typeof found === 'object' && 'outcome' in found) throw tokenRefusal(found, account);
    return found;
  };
  const { tenant: workspace, sub, iss } = claimsOf(await issued(tokens.get(bounds())));
  if (typeof workspace !== 'string' || typeof sub !== 'string' || typeof iss !== 'string')
    throw new CommandRefused(
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
        ...defined({ body }),
      } as const;
      return responseIn(`${baseUrl}/${path}`, await issued(session(call, bounds())));
    },
  };
};

/**
 * The package's client for an account, whose token names the workspace.
 *
 * @throws CommandRefused if the bus does not issue a token
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

export const pullMessages = (session: BusSession, query: PullQuery): Promise<BusResponse> => {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return session.call(`consumers/${session.connection}/messages?${parameters.join('&')}`);
};

export const settle = (
  session: BusSession,
  how: 'ack' | 'nack',
  records: readonly JsonObject[],
): Promise<BusResponse> => {
  const receipt_handles = records.map(record => String(record['receipt_handle'] ?? ''));
  return session.call(
    `consumers/${session.connection}/${how}`,
    JSON.stringify({ receipt_handles }),
  );
};

/** Why receipts were not settled, all of them; undefined if they were. */
export const unsettled = (response: BusResponse): string | undefined => {
  if (response.status !== 200) return reasonOf(response);
  const failed = objectsIn(response.body['failed']);
  if (failed.length === 0) return undefined;
  return failed.map(violationText).join(' | ');
};

/** Seconds. API Gateway takes a few to know a new key, and refuses its connection until then. */
const patience = 60;
const pause = 2;

/** A call that changes nothing: an empty dry run, or the list of skills. */
const probe = (
  { connection, call }: BusSession,
  kind: 'producer' | 'consumer',
): Promise<BusResponse> => {
  if (kind === 'producer') return call('validate', '{}');
  return call(`consumers/${connection}/skills`);
};

/** The URL of the bus that issues tokens as `issuer`. */
export const baseUrlOf = (issuer: string): string => issuer.replace(/\/oauth$/, '');

/**
 * Waits until the bus lets a new connection in.
 *
 * @returns false if it still does not after a minute
 * @throws CommandRefused if the bus does not issue a token
 */
export const awaitConnection = async (
  { busIssuer, clock }: Pick<OperatorPorts, 'busIssuer' | 'clock'>,
  { connection, clientSecret }: IssuedConnection,
): Promise<boolean> => {
  const client = { id: connection.id, secret: clientSecret };
  const session = await openSession({ baseUrl: baseUrlOf(busIssuer), client });
  const until = clock.now() + patience * 1000;
  for (;;) {
    const { status } = await probe(session, connection.kind);
    if (status !== 403 && status !== 401 && status < 500) return true;
    if (clock.now() + pause * 1000 > until) return false;
    await clock.sleep(pause * 1000);
  }
};

/**
 * Makes a workspace of an organisation with a producer and a consumer of `story.context`, for a
 * message of a command's own.
 * @throws CommandRefused if the bus does not let them in within a minute
 */
export const makeTestPair = async (
  ports: OperatorPorts,
  { name, organisation }: { name: string; organisation: string },
) => {
  const workspace = accepted(await createWorkspace(ports, { name, organisation })).id;
  const nothing = { workspace, app: name, systemIds: [], grants: [], receives: [], sources: [] };
  const types = ['story.context'];
  const make = async (
    what: { kind: 'producer'; grants: string[] } | { kind: 'consumer'; receives: string[] },
  ) => {
    const issued = accepted(await createConnection(ports, { ...nothing, ...what }));
    if (!(await awaitConnection(ports, issued)))
      throw new CommandRefused(
        `API Gateway refuses the new connection ${issued.connection.id} after a minute.`,
      );
    return { id: issued.connection.id, secret: issued.clientSecret };
  };
  const producer = await make({ kind: 'producer', grants: types });
  return { workspace, producer, consumer: await make({ kind: 'consumer', receives: types }) };
};
