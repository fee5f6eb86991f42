import type { SomMessage, System } from '../../generated/som-messages.generated.ts';
import { type Attempt, type Bounds, sender } from './attempts.ts';
import { problemWithUrl, versioned } from './bus-url.ts';
import { type ConsumeOptions, type Delivery, deliveries } from './deliveries.ts';
import { type Compose, composer } from './envelope.ts';
import { type Outside, systemOutside } from './outside.ts';
import { afterLimit, afterRequest, paceFrom, pauseBefore } from './pace.ts';
import {
  type Backlog,
  type Pulled,
  type PullQuery,
  queueOf,
  type Registrations,
  type Settled,
} from './queue.ts';
import { type Session, sessionOf } from './session.ts';
import { type Account, tokensOf } from './tokens.ts';
import {
  type DryRunVerdict,
  dryRunVerdictIn,
  type FullResponse,
  isObject,
  type Refused,
  type TokenRefused,
  type Verdict,
  verdictIn,
} from './verdict.ts';

export interface ConnectOptions extends Account {
  readonly workspace: string;
  readonly system?: System;
  /**
   * How long a call keeps trying, in milliseconds; the `wait` of a pull comes on top. Default: a
   * minute.
   */
  readonly deadline?: number;
  /**
   * Publishes and dry runs a minute, of the 600 requests that all systems behind one address share:
   * more wait in the client, in their order. A 429 makes it fewer for a while. Default: as they
   * come.
   */
  readonly publishesPerMinute?: number;
  /** Called for every attempt of every call. What it throws is ignored. */
  readonly onAttempt?: (attempt: Attempt) => void;
  /** Replaces parts of the surroundings: time, randomness, `fetch`. */
  readonly outside?: Partial<Outside>;
}

export interface CallOptions {
  /** Gives up: the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** How long this call keeps trying, in milliseconds; the `wait` of a pull comes on top. */
  readonly deadline?: number;
}

/** A message, or its bytes or text, which are sent as they are. */
export type Outgoing = SomMessage | Uint8Array | string;

/**
 * One connection. A refusal is a value; what it throws is `NoResponse`, `UnexpectedResponse` or the
 * signal's reason.
 */
export interface Bus {
  readonly compose: Compose;
  /**
   * Resolves when the message is in every queue or refused, or at the deadline. Publishing again is
   * safe: a message is accepted once.
   */
  publish(message: Outgoing, options?: CallOptions): Promise<Verdict>;
  /** The verdict that `publish` would get; nothing is sent. */
  validate(message: Outgoing, options?: CallOptions): Promise<DryRunVerdict>;
  /**
   * The messages of this consumer's queue, in order per correlation_id. Asking for the next one
   * means that the one before was handled. What was handled is acknowledged together, at the latest
   * with the first request for a message after five seconds, or a tenth of `visibility` if that is
   * less; those of full pulls within a quarter of `visibility`. After a crash, up to `max` handled
   * messages come again, or 100 if it lagged. Pulls and acknowledgements keep to
   * `requestsPerMinute`.
   */
  consume(options?: ConsumeOptions): AsyncGenerator<Delivery, void, void>;
  /** One pull by hand. Times in seconds. */
  pull(query?: Partial<PullQuery>, options?: CallOptions): Promise<Pulled | Refused | TokenRefused>;
  ack(
    receiptHandles: readonly string[],
    options?: CallOptions,
  ): Promise<Settled | Refused | TokenRefused>;
  nack(
    receiptHandles: readonly string[],
    options?: CallOptions & { delaySeconds?: number },
  ): Promise<Settled | Refused | TokenRefused>;
  backlog(options?: CallOptions): Promise<Backlog | Refused | TokenRefused>;
  /** The skill instances that this consumer executes: read them anew every few minutes. */
  registrations(options?: CallOptions): Promise<Registrations | Refused | TokenRefused>;
}

const defaultDeadline = 60_000;
const publishMilliseconds = 35_000;

/** @throws TypeError when a secret may not be sent there */
const checkedUrl = (baseUrl: string): string => {
  const problem = problemWithUrl(baseUrl);
  if (problem !== undefined) throw new TypeError(problem);
  return versioned(baseUrl);
};

/** What every attempt sends, and the message's id if it is known. */
const contentOf = (message: Outgoing): { body: string | Uint8Array; messageId?: string } => {
  if (typeof message === 'string' || message instanceof Uint8Array) return { body: message };
  const body = JSON.stringify(message);
  if (isObject(message)) return { body, messageId: message.message_id };
  return { body };
};

/** Waits until a call may be sent, and gives the bounds in which it counts. */
type Turn = (bounds: Bounds) => Promise<Bounds>;

/** The turns of a producer's calls. A call waits for half of its time at most. */
const turnsOf = (publishesPerMinute: number, { now, sleep }: Outside): Turn => {
  let pace = paceFrom(publishesPerMinute, now());
  const onAttempt = ({ number, status }: Attempt): void => {
    if (number > 1) pace = afterRequest(pace, now());
    if (status === 429) pace = afterLimit(pace, now());
  };
  return async function turn({ deadline, signal }) {
    const pause = Math.min(pauseBefore(pace, 1, now()), (deadline - now()) / 2);
    pace = afterRequest(pace, now());
    if (pause > 0) await sleep(pause, signal);
    return { deadline, signal, onAttempt };
  };
};

interface Asked<T> {
  readonly route: 'publish' | 'validate';
  readonly path: string;
  read(response: FullResponse): T;
}

const asker =
  <T>(session: Session, turn: Turn, { route, path, read }: Asked<T>) =>
  async (message: Outgoing, bounds: Bounds): Promise<T | TokenRefused> => {
    const timeoutMilliseconds = publishMilliseconds;
    const call = { route, path, timeoutMilliseconds, ...contentOf(message) };
    const response = await session(call, await turn(bounds));
    if ('outcome' in response) return response;
    return read(response);
  };

/** A hook that fails changes nothing for the call. */
const isolated = (hook: (attempt: Attempt) => void) => (attempt: Attempt) => {
  const call = async () => hook(attempt);
  call().catch(() => undefined);
};

/**
 * Connects to a bus. Nothing is sent before the first call.
 *
 * @throws TypeError when the URL cannot be a bus's
 */
export const connect = (options: ConnectOptions): Bus => {
  const { deadline = defaultDeadline, onAttempt = () => undefined } = options;
  const { publishesPerMinute = Number.POSITIVE_INFINITY } = options;
  const outside: Outside = { ...systemOutside, ...options.outside };
  const account = { ...options, baseUrl: checkedUrl(options.baseUrl) };
  const send = sender(outside, isolated(onAttempt));
  const session = sessionOf(account, send, tokensOf(account, send, outside));
  const queue = queueOf(session, options.clientId);
  const turn = turnsOf(publishesPerMinute, outside);
  const publish = asker(session, turn, { route: 'publish', path: 'messages', read: verdictIn });
  const validate = asker(session, turn, {
    route: 'validate',
    path: 'validate',
    read: dryRunVerdictIn,
  });
  const bounds = (call: CallOptions = {}): Bounds => ({
    deadline: outside.now() + (call.deadline ?? deadline),
    signal: call.signal,
  });
  return {
    compose: composer(options.system, outside),
    publish: (message, call) => publish(message, bounds(call)),
    validate: (message, call) => validate(message, bounds(call)),
    consume: given => deliveries({ queue, outside, callMilliseconds: deadline }, given),
    pull: (query, call) => queue.pull({ max: 10, wait: 0, visibility: 60, ...query }, bounds(call)),
    ack: (handles, call) => queue.ack(handles, bounds(call)),
    backlog: call => queue.backlog(bounds(call)),
    registrations: call => queue.registrations(bounds(call)),
    nack: (handles, call) => queue.nack(handles, call?.delaySeconds ?? 0, bounds(call)),
  };
};

/**
 * A connection of environment variables: `SOMBUS_BASE_URL`, `SOMBUS_WORKSPACE`, and `_ID` and
 * `_SECRET` after the prefix, as `sombus env` and `sombus connections apply` name them.
 *
 * @throws TypeError when one of them is missing
 */
export const fromEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  prefix = 'SOMBUS_CLIENT',
): Pick<ConnectOptions, 'baseUrl' | 'workspace' | 'clientId' | 'clientSecret'> => {
  const variable = (name: string): string => {
    const value = env[name];
    if (value) return value;
    throw new TypeError(`The environment variable ${name} is not set.`);
  };
  return {
    baseUrl: variable('SOMBUS_BASE_URL'),
    workspace: variable('SOMBUS_WORKSPACE'),
    clientId: variable(`${prefix}_ID`),
    clientSecret: variable(`${prefix}_SECRET`),
  };
};
