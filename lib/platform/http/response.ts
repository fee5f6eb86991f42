import { withCommas } from '../../contract/limits.ts';
import {
  crossOriginHeaders,
  methodsOf,
  nearlyARoute,
  preflightHeaders,
  refusalHeaders,
} from '../../contract/paths.ts';
import {
  challengeHeaders,
  type OauthError,
  oauthErrors,
  type Refusal,
  refusalBody,
  ruleOf,
} from '../../contract/refusals.ts';
import type { Api, Route } from '../../contract/route.ts';
import {
  bodyLimitOf,
  pageRoutes,
  type RouteId,
  refusalShapeOf,
  routes,
} from '../../contract/routes.ts';
import { type RuleId, rules, skillErrors } from '../../contract/rules.ts';

/** Identifiers for the log line of a request; never a body, a token or a secret. */
export interface LogFacts {
  readonly rule?: string;
  readonly connection?: string;
  readonly workspace?: string;
  readonly messageId?: string;
  readonly messageType?: string;
  readonly correlationId?: string;
  /** Of the messages that a pull returned, or that an ack or a nack ended. */
  readonly messageIds?: readonly string[];
  /** What the request's `traceparent` said. */
  readonly traceparent?: string;
  /** How many messages were left out of a response because the bus did not send them. */
  readonly foreignMessages?: number;
  /**
   * The name of the last error behind a `bus.publish_failed`, and its queue if a queue caused it.
   */
  readonly error?: string;
  readonly person?: string;
  readonly errorQueue?: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes are sent unchanged, anything else as JSON; undefined sends no body. */
  readonly body: unknown;
  /** Values of Set-Cookie: the only header that may occur more than once. */
  readonly cookies?: readonly string[];
  readonly log: LogFacts;
}

export const response = (
  status: number,
  body: unknown,
  { headers = {}, log = {} }: Partial<Pick<HttpResponse, 'headers' | 'log'>> = {},
): HttpResponse => ({ status, headers, body, log });

export const refusalResponse = ({ violations }: Refusal, log: LogFacts = {}): HttpResponse => {
  const { rule } = violations[0];
  const { status } = ruleOf(rule);
  const body = { accepted: false, violations };
  return response(status, body, { headers: challengeHeaders(status), log: { ...log, rule } });
};

/** @param details `message` instead of the rule's meaning */
export const apiRefusal = (
  api: Api,
  rule: RuleId,
  {
    headers = {},
    message,
  }: { headers?: HttpResponse['headers']; message?: string | undefined } = {},
): HttpResponse => {
  const { status } = rules[rule];
  const all = { ...challengeHeaders(status), ...headers };
  return response(status, refusalBody(api, rule, message), { headers: all, log: { rule } });
};

export const notFound = (api: Api, path: string): HttpResponse =>
  apiRefusal(api, 'route.not_found', { message: nearlyARoute(api, path) });

/** @param rows those at the URL, of which none serves the method */
export const methodNotAllowed = (api: Api, rows: readonly Route[]): HttpResponse => {
  const allow = rows.flatMap(methodsOf).join(', ');
  const open = Object.assign({}, ...rows.map(refusalHeaders));
  return apiRefusal(api, 'route.method_not_allowed', { headers: { ...open, allow } });
};

/**
 * The 429 for too many requests, in the shape of the API; `Retry-After` is in whole seconds,
 * rounded up.
 */
export const limitedResponse = (
  api: Api,
  { rule, waitMilliseconds }: { rule: 'rate.limited' | 'quota.exceeded'; waitMilliseconds: number },
  more: Readonly<Record<string, string>> = {},
): HttpResponse =>
  apiRefusal(api, rule, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMilliseconds / 1000))), ...more },
  });

export const preflightResponse = (methods: readonly string[]): HttpResponse =>
  response(204, undefined, { headers: preflightHeaders(methods) });

/** Token responses and refusals must not be cached (RFC 6749 section 5.1). */
export const uncached = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** An error response of the token endpoint (RFC 6749 section 5.2). */
export const oauthError = (
  error: OauthError,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse =>
  response(
    oauthErrors[error],
    { error, error_description: description },
    { headers: { ...uncached, ...headers }, log: { rule: error } },
  );

export const catalogueError = (code: keyof typeof skillErrors, message: string): HttpResponse =>
  response(
    skillErrors[code],
    { code, message },
    { headers: crossOriginHeaders, log: { rule: code } },
  );

/**
 * The response when something behind a route fails: always a 503 that may be retried.
 *
 * @param message instead of the usual one
 */
export const errorResponse = (route: RouteId, message?: string): HttpResponse => {
  if (refusalShapeOf(route) === 'oauth') {
    const usual =
      'The credentials could not be checked, or the token could not be signed. Retry with backoff.';
    return oauthError('temporarily_unavailable', message ?? usual);
  }
  const headers = refusalHeaders(routes[route]);
  return apiRefusal(routes[route].api, 'registry.unavailable', { headers, message });
};

export const tooLargeResponse = (route: RouteId): HttpResponse => {
  const message = `The body is larger than ${withCommas(bodyLimitOf(route))} bytes.`;
  switch (refusalShapeOf(route)) {
    case 'oauth':
      return oauthError('invalid_request', message);
    case 'catalogue':
      if (route in pageRoutes) return apiRefusal('portal', 'message.too_large', { message });
      return catalogueError('skills.unreadable', message);
    case 'bus':
      return apiRefusal(routes[route].api, 'message.too_large', { message });
  }
};
