import { daySeconds } from '../contract/limits.ts';
import { meaningOn, type Refusal, refuse, ruleOf } from '../contract/refusals.ts';
import type { Route } from '../contract/routes.ts';
import { type RuleId, rules } from '../contract/rules.ts';

/** Any web page may read the catalogue: it needs no credentials and tells everybody the same. */
export const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, x-request-id',
} as const;

/** Identifiers for the log line of a request; never a body, a token or a secret. */
export interface LogFacts {
  readonly rule?: string;
  readonly connection?: string;
  readonly workspace?: string;
  readonly messageId?: string;
  readonly messageType?: string;
  readonly correlationId?: string;
  /** How many messages of a queue were left out of an answer, because they are none of the bus's. */
  readonly foreignMessages?: number;
  /** The name of the last error behind a `bus.publish_failed`, and the queue where it was one's. */
  readonly fault?: string;
  readonly faultQueue?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes are sent as they are, anything else as JSON; undefined sends no body. */
  readonly body: unknown;
  readonly log: LogFacts;
}

export const answer = (
  status: number,
  body: unknown,
  extra: { readonly headers?: Record<string, string>; readonly log?: LogFacts } = {},
): HttpAnswer => ({ status, headers: extra.headers ?? {}, body, log: extra.log ?? {} });

const challenges: Partial<Record<number, Record<string, string>>> = { 401: { 'www-authenticate': 'Bearer' } };

/** The bus shape of every refusal: status and headers follow from the first violation's rule. */
export const refusalAnswer = ({ violations }: Refusal, log: LogFacts = {}): HttpAnswer => {
  const { status } = ruleOf(violations[0].rule);
  return {
    status,
    headers: challenges[status] ?? {},
    body: { accepted: false, violations },
    log: { ...log, rule: violations[0].rule },
  };
};

export interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the rule's meaning. */
  readonly message?: string;
}

/** A refusal by one rule in the form of its API: the bus's violations, or the catalogue's `{code, message}`. */
export const apiRefusal = (
  api: Route['api'],
  rule: RuleId,
  { headers = {}, message = meaningOn(api, rule) }: RefusalDetails = {},
): HttpAnswer => {
  if (api === 'portal') {
    const { status } = rules[rule];
    return answer(
      status,
      { code: rule, message },
      { headers: { ...crossOrigin, ...headers }, log: { rule } },
    );
  }
  const refusal = refusalAnswer(refuse(rule, message));
  return { ...refusal, headers: { ...refusal.headers, ...headers } };
};

/** What a browser asks for before a page of another origin may call a route (Fetch standard, CORS-preflight). */
export const preflightAnswer = (methods: readonly string[]): HttpAnswer =>
  answer(204, undefined, {
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': 'content-type, if-none-match',
      'access-control-max-age': String(daySeconds),
      'cache-control': `public, max-age=${daySeconds}`,
      allow: methods.join(', '),
    },
  });

type TokenError = 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'temporarily_unavailable';

const statuses = {
  invalid_request: 400,
  unsupported_grant_type: 400,
  invalid_client: 401,
  temporarily_unavailable: 503,
} as const satisfies Record<TokenError, number>;

/** Token answers and their refusals are never kept (RFC 6749 section 5.1). */
export const uncached = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** An error answer of the token endpoint (RFC 6749 section 5.2). */
export const tokenError = (
  error: TokenError,
  description: string,
  headers: Record<string, string> = {},
): HttpAnswer =>
  answer(
    statuses[error],
    { error, error_description: description },
    { headers: { ...uncached, ...headers }, log: { rule: error } },
  );
