import type { Outside } from './outside.ts';
import { type FullResponse, isNamed, violationsIn } from './verdict.ts';

/** `other`: a call of the command line. */
type Route =
  | 'token'
  | 'publish'
  | 'validate'
  | 'pull'
  | 'ack'
  | 'nack'
  | 'backlog'
  | 'skills'
  | 'other';

/** One attempt of a call, as the `onAttempt` hook gets it: no secret and no payload. */
export interface Attempt {
  readonly route: Route;
  /** From 1. */
  readonly number: number;
  readonly messageId?: string;
  readonly milliseconds: number;
  /** Absent: no response. */
  readonly status?: number;
  readonly error?: string;
  readonly requestId?: string;
  /** The pause before the next attempt; absent when this was the last. */
  readonly retryInMilliseconds?: number;
}

export interface Request {
  readonly route: Route;
  readonly url: string;
  readonly init: RequestInit;
  readonly messageId?: string | undefined;
  readonly timeoutMilliseconds: number;
}

export interface Bounds {
  /** Epoch milliseconds: no attempt begins after it, and none waits beyond it. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Called for every attempt within these bounds. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
}

/**
 * No response came within the deadline. Whether the bus has done what it was asked is unknown: the
 * same call again is safe.
 */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';

  static override readonly [Symbol.hasInstance] = isNamed('NoResponse');

  readonly attempts: number;

  /** @param attempts 0 when the call waited for a token that another call asked for */
  constructor(url: string, attempts: number, cause: unknown) {
    const howOften =
      attempts === 0 ? 'time' : `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
    super(`${new URL(url).origin} gave no response in ${howOften}.`, { cause });
    this.attempts = attempts;
  }
}

/**
 * Sends a request until its response is final, or the deadline has come: then it resolves with the
 * last response.
 */
export type Send = (request: Request, bounds: Bounds) => Promise<FullResponse>;

/**
 * The statuses after which the same request may succeed; 502 and 504 come from a proxy on the way.
 */
export const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The response to one attempt. */
type Answer = Omit<FullResponse, 'mayBeDone'>;

const pauses = { first: 200, max: 20_000 };

/**
 * Full jitter: up to twice as long as the last time, so that callers who failed together do not
 * return together.
 */
const jitter = (attempt: number, { random }: Outside): number =>
  random() * Math.min(pauses.max, pauses.first * 2 ** (attempt - 1));

/** A daily quota whose end is not known comes back at midnight: no pause helps. */
const isQuota = (response: Answer): boolean =>
  violationsIn(response).some(({ rule }) => rule === 'quota.exceeded');

const never = Number.POSITIVE_INFINITY;

const pauseAfter = (outcome: Answer | Failure, attempt: number, outside: Outside): number => {
  const wait = jitter(attempt, outside);
  if (outcome instanceof Failure) return wait;
  if (!passing.has(outcome.status)) return never;
  if (outcome.retryAfterSeconds === undefined) return isQuota(outcome) ? never : wait;
  return outcome.retryAfterSeconds * 1000 + wait;
};

/**
 * Whether the bus may have done what was asked. The statuses of `passing` without a violation come
 * from a proxy.
 */
const leavesOpen = (outcome: Answer | Failure): boolean => {
  if (outcome instanceof Failure) return true;
  if (!passing.has(outcome.status)) return false;
  const violations = violationsIn(outcome);
  return violations.length === 0 || violations.some(({ rule }) => rule === 'bus.publish_failed');
};

class Failure {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }

  /** The network's code where there is one, such as ECONNREFUSED. */
  get words(): string {
    const inner = this.cause instanceof Error ? this.cause.cause : undefined;
    if (inner instanceof Error && 'code' in inner) return String(inner.code);
    if (this.cause instanceof Error) return this.cause.message;
    return String(this.cause);
  }
}

const secondsIn = (header: string | null): number | undefined =>
  /^\d+$/.test(header ?? '') ? Number(header) : undefined;

const attemptOnce = async (
  { url, init, timeoutMilliseconds }: Request,
  { deadline, signal }: Bounds,
  outside: Outside,
): Promise<Answer | Failure> => {
  const askedAt = outside.now();
  const tooLong = outside.timeout(Math.max(1, Math.min(timeoutMilliseconds, deadline - askedAt)));
  try {
    const response = await outside.fetch(url, {
      ...init,
      // A token goes to the bus's own URL only.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, tooLong]) : tooLong,
    });
    return {
      status: response.status,
      text: await response.text(),
      requestId: response.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: secondsIn(response.headers.get('retry-after')),
      date: response.headers.get('date') ?? undefined,
      rateLimit: response.headers.get('ratelimit') ?? undefined,
      askedAt,
    };
  } catch (cause) {
    signal?.throwIfAborted();
    return new Failure(cause);
  }
};

const facts = (outcome: Answer | Failure) => {
  if (outcome instanceof Failure) return { error: outcome.words };
  const { status, requestId } = outcome;
  return { status, ...(requestId !== undefined && { requestId }) };
};

/**
 * Sends requests as the contract allows: the same bytes again, after a pause, where that can help.
 *
 * @param mayRetry whether anything is sent again after such an attempt
 */
export const sender = (
  outside: Outside,
  onAttempt: (attempt: Attempt) => void,
  mayRetry = (_attempt: Pick<Attempt, 'status' | 'error'>): boolean => true,
): Send =>
  async function send(request, bounds) {
    const { route, url, messageId } = request;
    let mayBeDone = false;
    for (let number = 1; ; number += 1) {
      bounds.signal?.throwIfAborted();
      const began = outside.now();
      const outcome = await attemptOnce(request, bounds, outside);
      mayBeDone ||= leavesOpen(outcome);
      const pause = mayRetry(facts(outcome)) ? pauseAfter(outcome, number, outside) : never;
      const again = outside.now() + pause < bounds.deadline;
      const attempt: Attempt = {
        route,
        number,
        ...(messageId !== undefined && { messageId }),
        milliseconds: outside.now() - began,
        ...facts(outcome),
        ...(again && { retryInMilliseconds: pause }),
      };
      onAttempt(attempt);
      bounds.onAttempt?.(attempt);
      if (again) await outside.sleep(pause, bounds.signal);
      else if (outcome instanceof Failure) throw new NoResponse(url, number, outcome.cause);
      else return { ...outcome, mayBeDone };
    }
  };
