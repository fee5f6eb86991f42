import { type Bounds, NoResponse, type Request, type Send } from './attempts.ts';
import { type Outside, unlessAborted } from './outside.ts';
import { bodyOf, type TokenRefused, textIn, tokenRefusalIn } from './verdict.ts';

export interface Account {
  /** Of the bus, with or without `/v1` at its end. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

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
  /** The latest deadline of all callers. */
  readonly bounds: { deadline: number };
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

export const tokensOf = (account: Account, send: Send, { now, timeout }: Outside): Tokens => {
  const request = requestOf(account);
  let known: Known | undefined;
  let renewal: Renewal | undefined;

  const renew = async (bounds: Bounds): Promise<string | TokenRefused> => {
    const asked = now();
    const response = await send(request, bounds);
    const body = bodyOf(response);
    const token = textIn(body, 'access_token');
    if (response.status !== 200 || token === '') return tokenRefusalIn(response);
    const seconds = Number(body['expires_in'] ?? 0);
    const margin = Math.min(maxMarginSeconds, seconds / 10);
    known = { token, renewAt: asked + (seconds - margin) * 1000 };
    return token;
  };

  const begin = (deadline: number): Renewal => {
    const left = new AbortController();
    const bounds = { deadline, signal: left.signal };
    const token = renew(bounds).finally(() => {
      if (renewal?.left === left) renewal = undefined;
    });
    // Callers get the error; perhaps none is left.
    token.catch(() => undefined);
    return { token, left, bounds, waiting: 0 };
  };

  /**
   * Waits with all others, each until its own deadline; when the last one leaves, the request ends.
   */
  const share = async ({ deadline, signal }: Bounds): Promise<string | TokenRefused> => {
    renewal ??= begin(deadline);
    const shared = renewal;
    shared.bounds.deadline = Math.max(shared.bounds.deadline, deadline);
    shared.waiting += 1;
    const late = timeout(Math.max(1, deadline - now()));
    try {
      return await unlessAborted(shared.token, signal ? AbortSignal.any([signal, late]) : late);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof NoResponse || !late.aborted) throw error;
      throw new NoResponse(request.url, 0, error);
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) shared.left.abort();
      if (shared.waiting === 0 && renewal === shared) renewal = undefined;
    }
  };

  return {
    async get(bounds) {
      bounds.signal?.throwIfAborted();
      if (known && now() < known.renewAt) return known.token;
      return share(bounds);
    },
    drop(token) {
      if (known?.token === token) known = undefined;
    },
  };
};
