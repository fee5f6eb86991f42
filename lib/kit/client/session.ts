import type { Bounds, Request, Send } from './attempts.ts';
import type { Account, Tokens } from './tokens.ts';
import type { FullResponse, TokenRefused } from './verdict.ts';

export interface SessionCall {
  readonly route: Exclude<Request['route'], 'token'>;
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly messageId?: string | undefined;
  readonly timeoutMilliseconds: number;
  /** How long the bus may hold the response back. It does not count against the deadline. */
  readonly waitMilliseconds?: number;
}

/** Makes a call with a token; one that the bus refuses is renewed, once. */
export type Session = (call: SessionCall, bounds: Bounds) => Promise<FullResponse | TokenRefused>;

const initOf = (authorization: string, body: SessionCall['body']): RequestInit => {
  if (body === undefined) return { headers: { authorization } };
  return {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    // A view may share its buffer with other data.
    body: typeof body === 'string' ? body : Uint8Array.from(body),
  };
};

const requestOf = (url: string, token: string, call: SessionCall): Request => {
  const { path, body, timeoutMilliseconds, waitMilliseconds = 0, ...rest } = call;
  return {
    ...rest,
    url: `${url}/${path}`,
    init: initOf(`Bearer ${token}`, body),
    timeoutMilliseconds: timeoutMilliseconds + waitMilliseconds,
  };
};

export const sessionOf = (
  { baseUrl, workspace }: Account & { workspace: string },
  send: Send,
  tokens: Tokens,
): Session => {
  const url = `${baseUrl}/tenants/${workspace}`;
  return async function session(call, bounds) {
    const token = await tokens.get(bounds);
    if (typeof token !== 'string') return token;
    const ofCall = { ...bounds, deadline: bounds.deadline + (call.waitMilliseconds ?? 0) };
    const response = await send(requestOf(url, token, call), ofCall);
    if (response.status !== 401) return response;
    tokens.drop(token);
    const renewed = await tokens.get(bounds);
    if (typeof renewed !== 'string') return renewed;
    const again = await send(requestOf(url, renewed, call), ofCall);
    return { ...again, mayBeDone: again.mayBeDone || response.mayBeDone };
  };
};
