import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { outcomeUnknown } from '../contract/outcome-unknown.ts';
import type { Route } from '../contract/route.ts';
import { type RuleId, rules } from '../contract/rules.ts';
import { refusalBody, refusalHeaders } from './refusal-bodies.ts';

interface PlatformRefusal {
  readonly rule: RuleId;
  /** Instead of the rule's meaning. */
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const unavailable: PlatformRefusal = { rule: 'registry.unavailable' };
const unauthenticated: PlatformRefusal = {
  rule: 'producer.unauthenticated',
  headers: { 'WWW-Authenticate': 'Bearer' },
};
const notRegistered: PlatformRefusal = { rule: 'producer.not_registered' };
const blocked: PlatformRefusal = { rule: 'request.blocked' };

/** What API Gateway refuses by itself, in the service's rules (AWS: "Gateway response types for API Gateway"). */
export const platformRefusals = (api: Route['api']): Readonly<Record<string, PlatformRefusal>> => ({
  ACCESS_DENIED: notRegistered,
  // Also for an answer of a function that API Gateway cannot read: the function did its work then.
  API_CONFIGURATION_ERROR: outcomeUnknown[api],
  AUTHORIZER_CONFIGURATION_ERROR: unavailable,
  AUTHORIZER_FAILURE: unavailable,
  BAD_REQUEST_BODY: { rule: 'message.not_json' },
  BAD_REQUEST_PARAMETERS: { rule: 'pull.invalid_parameter' },
  DEFAULT_4XX: blocked,
  DEFAULT_5XX: outcomeUnknown[api],
  EXPIRED_TOKEN: unauthenticated,
  INTEGRATION_FAILURE: outcomeUnknown[api],
  INTEGRATION_TIMEOUT: outcomeUnknown[api],
  // The authoriser names the caller's usage-plan key; without a plan the connection is revoked, or not registered yet.
  INVALID_API_KEY: notRegistered,
  INVALID_SIGNATURE: unauthenticated,
  // Addresses that are no route have a method of their own: what is left are unsigned calls of signed routes.
  MISSING_AUTHENTICATION_TOKEN: unauthenticated,
  QUOTA_EXCEEDED: { rule: 'quota.exceeded' },
  REQUEST_TOO_LARGE: { rule: 'message.too_large' },
  RESOURCE_NOT_FOUND: { rule: 'route.not_found' },
  // Every bucket refills at least once a second.
  THROTTLED: { rule: 'rate.limited', headers: { 'Retry-After': '1' } },
  UNAUTHORIZED: unauthenticated,
  UNSUPPORTED_MEDIA_TYPE: { rule: 'message.unsupported_media_type' },
  WAF_FILTERED: blocked,
});

/** API Gateway's mapping syntax: a constant stands in quotes. */
const constants = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));

/** Makes an API refuse in the service's own words whenever the platform does it. */
export const addGatewayResponses = (restApi: RestApi, api: Route['api']): void => {
  for (const [type, { rule, message, headers }] of Object.entries(platformRefusals(api))) {
    restApi.addGatewayResponse(`Refusal${type}`, {
      type: ResponseType.of(type),
      statusCode: String(rules[rule].status),
      responseHeaders: {
        'x-request-id': 'context.requestId',
        ...constants({ ...refusalHeaders(api), ...headers }),
      },
      templates: { 'application/json': refusalBody(api, rule, message) },
    });
  }
};
