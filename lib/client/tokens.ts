import { type Bounds, type Request, type Send, Unanswered } from './attempts.ts';
import { type Outside, unlessAborted } from './outside.ts';
import { bodyOf, type TokenRefused, textIn, tokenRefusalIn } from './verdict.ts';

/** A connection's credentials, and where they are for. */
export interface Account {
  /** The address of the bus, ending in `/v1`. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The tokens of one connection. */
export interface Tokens {
  /** A token that is good for a while. Callers that need one at the same time share a request. */
  get(bounds: Bounds): Promise<string | TokenRefused>;
  /** The bus refused this token: it is not used again. */
  drop(token: string): void;
}

/** A request for a token, and how many callers wait for it. */
interface Renewal {
  readonly token: Promise<string | TokenRefused>;
  readonly left: AbortController;
  waiting: number;
}

interface Known {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly renewAt: number;
}

/** A token is renewed a minute before its end; a short one after nine tenths of its time. */
const maxMarginSeconds = 60;

const attemptMilliseconds = 15_000;

/** RFC 6749 section 2.3.1: both parts are encoded as in a form first. */
const requestOf = ({ baseUrl, clientId, clientSecret }: Account): Request => {
  const pair = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const headers = {
    authorization: `Basic ${btoa(pair)}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  return {
    route: 'token',
    url: `${baseUrl}/oauth/token`,
    init: { method: 'POST', headers, body: 'grant_type=client_credentials' },
    timeoutMilliseconds: attemptMilliseconds,
  };
};

export const tokensOf = (account: Account, send: Send, { now }: Outside): Tokens => {
  const request = requestOf(account);
  let known: Known | undefined;
  let renewal: Renewal | undefined;

  const renew = async (bounds: Bounds): Promise<string | TokenRefused> => {
    const asked = now();
    const answer = await send(request, bounds);
    const body = bodyOf(answer);
    const token = textIn(body, 'access_token');
    if (answer.status !== 200 || token === '') return tokenRefusalIn(answer);
    const seconds = Number(body['expires_in'] ?? 0);
    const margin = Math.min(maxMarginSeconds, seconds / 10);
    known = { token, renewAt: asked + (seconds - margin) * 1000 };
    return token;
  };

  const begin = (deadline: number): Renewal => {
    const left = new AbortController();
    const token = renew({ deadline, signal: left.signal }).finally(() => {
      if (renewal?.left === left) renewal = undefined;
    });
    // Whoever waits hears of it; perhaps nobody does any more.
    token.catch(() => undefined);
    return { token, left, waiting: 0 };
  };

  /** Waits with all others; when the last one leaves, the request ends. */
  const share = async ({ deadline, signal }: Bounds): Promise<string | TokenRefused> => {
    renewal ??= begin(deadline);
    const shared = renewal;
    shared.waiting += 1;
    try {
      return await unlessAborted(shared.token, signal);
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) shared.left.abort();
      if (shared.waiting === 0 && renewal === shared) renewal = undefined;
    }
  };

  return {
    async get(bounds) {
      for (;;) {
        bounds.signal?.throwIfAborted();
        if (known && now() < known.renewAt) return known.token;
        const isOthers = renewal !== undefined;
        try {
          return await share(bounds);
        } catch (fault) {
          // Whoever began it had less time.
          const isLate = now() >= bounds.deadline || bounds.signal?.aborted;
          if (!isOthers || isLate || !(fault instanceof Unanswered)) throw fault;
        }
      }
    },
    drop(token) {
      if (known?.token === token) known = undefined;
    },
  };
};
