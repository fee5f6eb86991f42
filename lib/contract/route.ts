import type { Throttle } from './limits.ts';

/**
 * The two APIs. API Gateway, the firewall and the local gateway refuse in the shape of the API.
 * Without a domain of one's own, API Gateway puts the stage before every path. The bus's stage is
 * named like the first segment of its paths, and a domain maps that segment to it; the portal's
 * paths are below its stage, or at the root of a domain. So the paths of the route table are true
 * either way.
 */
export const apis = {
  bus: { stage: 'v1', stageInPaths: true, refusals: 'bus' },
  portal: { stage: 'app', stageInPaths: false, refusals: 'catalogue' },
} as const;

export type Api = keyof typeof apis;

/**
 * How a route authenticates its caller: not at all, by a bearer token, or by the request's
 * signature (SigV4).
 */
export type Auth = 'none' | 'bearer' | 'sigv4';

/**
 * Every header that carries a credential, of a request or a response: of callers, of browsers, of
 * signed requests and of what a client may send by mistake. No log, sample, trace or rule detail
 * shows one.
 */
export const secretHeaders = [
  'authorization',
  'cookie',
  'proxy-authorization',
  'set-cookie',
  'x-amz-security-token',
  'x-api-key',
] as const;

export interface Caller {
  readonly connection: string;
  readonly workspace: string;
}

/** A caller with the end of its token, which it outlives in the gateway's cache. */
export interface TokenCaller extends Caller {
  /** Epoch seconds, the leeway for clocks included. */
  readonly validUntil: number;
}

/** `bus`: violations; `catalogue`: `{code, message}`; `oauth`: an error of RFC 6749. */
export type RefusalShape = 'bus' | 'catalogue' | 'oauth';

export interface Route {
  readonly api: Api;
  /** An address that supports GET also supports HEAD; `ANY` is GET and POST. */
  readonly method: 'GET' | 'POST' | 'ANY';
  /**
   * API Gateway syntax: `{t}` is the workspace id, `{c}` a consumer connection id, `{m}` a
   * message_id, `{r}` a run of checks, `{e}` the name of a report. `{proxy+}` is the whole rest.
   */
  readonly path: `/${string}`;
  readonly auth: Auth;
  /**
   * What the route may use, and no more: the name of a port and, after a dot, the kind of access to
   * it. `Accesses` in `lib/wiring/function.ts` says what an access lets a handler do,
   * `lib/contract/table-grants.ts` what it lets the function do with tables, and
   * `lib/infra/port-grants.ts` what else on AWS.
   */
  readonly ports: readonly string[];
  readonly throttle: Throttle;
  /** The function behind the route, if it is not one of its own: `lambdas/<servedBy>.ts`. */
  readonly servedBy?: string;
  /** Requests count against the quota of the caller's connection. */
  readonly quota?: true;
  /** The largest body that the route reads; without it, the route reads no body. */
  readonly bodyBytes?: number;
  /** The shape of the function's refusals, if it differs from the API's. */
  readonly refusals?: RefusalShape;
  /** Any web page may call it: preflights (OPTIONS) are answered. */
  readonly crossOrigin?: true;
  /** Whose identity providers the route trusts in addition to the bus's own tokens. */
  readonly issuers?: 'workspace' | 'operator';
}
