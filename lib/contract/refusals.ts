import { limits } from './limits.ts';
import type { SchemaName } from './message-types.ts';
import { type Api, apis } from './route.ts';
import { type Rule, type RuleId, rules, type Source, schemaFailure } from './rules.ts';

/**
 * A JSON Schema failure: `<family>.<keyword>`, with `false schema` written `false_schema` and
 * formats as `format.<name>`.
 */
export type SchemaRuleId = `${SchemaName}.${string}`;

/** One reason in a response. `message` is for people and may change; `rule` is stable. */
export interface Violation {
  readonly source: Source;
  readonly rule: RuleId | SchemaRuleId;
  readonly message: string;
  /** JSON Pointer (RFC 6901) into the submitted message. */
  readonly path?: string;
}

export const ruleOf = (id: Violation['rule']): Rule =>
  Object.hasOwn(rules, id) ? rules[id as RuleId] : schemaFailure;

export const violation = (
  id: RuleId,
  message: string = rules[id].meaning,
  path?: string,
): Violation => ({
  source: rules[id].source,
  rule: id,
  message,
  // The pages import this file, and the file of `defined` needs Node.
  ...(path !== undefined && { path }),
});

/** A request that was understood and refused; the first violation decides the status. */
export interface Refusal {
  readonly kind: 'refused';
  readonly violations: readonly [Violation, ...Violation[]];
}

export const refused = (...violations: [Violation, ...Violation[]]): Refusal => ({
  kind: 'refused',
  violations,
});

export const refuse = (id: RuleId, message?: string): Refusal => refused(violation(id, message));

/**
 * What a rule means on an API when the platform applies it: the catalogue carries no messages, so
 * it has a different size limit.
 */
export const meaningOn = (api: Api, rule: RuleId): string => {
  if (apis[api].refusals === 'catalogue' && rule === 'message.too_large')
    return `The body is larger than ${limits.gatewayBodyBytes / 1024 ** 2} MiB.`;
  return rules[rule].meaning;
};

export const refusalBody = (api: Api, rule: RuleId, message = meaningOn(api, rule)): object => {
  if (apis[api].refusals === 'catalogue') return { code: rule, message };
  return { accepted: false, violations: [violation(rule, message)] };
};

export const challengeHeaders = (status: number): Readonly<Record<string, string>> =>
  status === 401 ? { 'www-authenticate': 'Bearer' } : {};

/** The errors of the token endpoint and their statuses (RFC 6749 section 5.2). */
export const oauthErrors = {
  invalid_request: 400,
  unsupported_grant_type: 400,
  invalid_client: 401,
  temporarily_unavailable: 503,
} as const;

export type OauthError = keyof typeof oauthErrors;

/**
 * What a gateway answers if a function failed or did not answer in time. On the bus, it may have
 * done its work: the response must not say that nothing was accepted, and repeating the request is
 * right in either case.
 */
export const outcomeUnknown: Readonly<
  Record<Api, { readonly rule: RuleId; readonly message: string }>
> = {
  bus: {
    rule: 'bus.publish_failed',
    message:
      'The service did not answer, and the outcome is not known. Send the same request again: ' +
      'a message with the same message_id is accepted only once.',
  },
  portal: { rule: 'registry.unavailable', message: 'The service did not answer. Try again.' },
};

/**
 * What a request to a signed route is told that carries no signature, by API Gateway and by the
 * local service.
 */
export const signatureRequired =
  'The request must be signed with AWS Signature Version 4 (AWS4-HMAC-SHA256), in the Authorization header.';

/**
 * Why no token was issued: the secret is wrong or over, the connection is revoked or suspended, or
 * asks too often.
 */
export const tokenRefusals = ['wrong_secret', 'not_registered', 'too_many'] as const;

export type TokenRefusal = (typeof tokenRefusals)[number];

/** Why a token of an identity provider that the workspace trusts identifies no connection. */
export const identityProblems = [
  'no_key',
  'bad_signature',
  'wrong_audience',
  'expired',
  'too_long',
  'no_client',
  'unbound_client',
  'other',
] as const;

export type IdentityProblem = (typeof identityProblems)[number];
