import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { methodsOf } from '../../lib/contract/paths.ts';
import { refusalBody } from '../../lib/contract/refusals.ts';
import type { Route } from '../../lib/contract/route.ts';
import { pageRoutes } from '../../lib/contract/routes.ts';
import { rules } from '../../lib/contract/rules.ts';
import { rateRules } from '../../lib/infra/firewall-rules.ts';
import { platformRefusals, type RouteRow, routeRows } from '../../lib/infra/route-api.ts';
import { undescribed } from '../support/described-responses.ts';

const anywhere = [
  'API_CONFIGURATION_ERROR',
  'DEFAULT_4XX',
  'DEFAULT_5XX',
  'INTEGRATION_FAILURE',
  'INTEGRATION_TIMEOUT',
  'REQUEST_TOO_LARGE',
  'THROTTLED',
  'WAF_FILTERED',
];

/**
 * What API Gateway may refuse on the routes of an authentication (AWS: "Gateway response types for
 * API Gateway").
 */
const byAuth: Readonly<Record<Route['auth'], readonly string[]>> = {
  none: anywhere,
  bearer: [
    ...anywhere,
    'ACCESS_DENIED',
    'AUTHORIZER_CONFIGURATION_ERROR',
    'AUTHORIZER_FAILURE',
    'INVALID_API_KEY',
    'QUOTA_EXCEEDED',
    'UNAUTHORIZED',
  ],
  sigv4: [
    ...anywhere,
    'ACCESS_DENIED',
    'EXPIRED_TOKEN',
    'INVALID_SIGNATURE',
    'MISSING_AUTHENTICATION_TOKEN',
    'UNAUTHORIZED',
  ],
};

/** Request validators, which the APIs have none of, and addresses that are no route. */
const never = [
  'BAD_REQUEST_BODY',
  'BAD_REQUEST_PARAMETERS',
  'RESOURCE_NOT_FOUND',
  'UNSUPPORTED_MEDIA_TYPE',
];

const exchange = (
  row: RouteRow,
  method: string,
  status: number,
  headers: Record<string, string>,
) => ({
  method,
  api: row.api,
  path: row.path
    .replace('{t}', 'waaaaaaaaaaaa')
    .replace('{c}', 'caaaaaaaaaaaa')
    .replace('{m}', 'm1'),
  status,
  // AWS names the type without a charset, which JSON does not have anyway (RFC 8259 section 11).
  headers: new Headers({ 'content-type': 'application/json; charset=utf-8', ...headers }),
});

test('every refusal of API Gateway is either expected on routes or known to be never seen there', () => {
  expect([...new Set([...Object.values(byAuth).flat(), ...never])].sort()).toEqual(
    Object.keys(platformRefusals('bus')).sort(),
  );
});

// The portal's own calls are not described.
const calls = routeRows
  .filter(({ id }) => !(id in pageRoutes))
  .flatMap(row => methodsOf(row).map(method => ({ row, method, path: row.path })));

test.each(calls)('$method $path: what API Gateway refuses is described', ({ row, method }) => {
  for (const type of byAuth[row.auth]) {
    const refusal = platformRefusals(row.api)[type];
    if (!refusal) throw new Error(`There is no refusal ${type}.`);
    const headers = { 'x-request-id': 'r', ...refusal.headers };
    const text =
      method === 'HEAD' ? '' : JSON.stringify(refusalBody(row.api, refusal.rule, refusal.message));
    const { status } = rules[refusal.rule];
    expect([type, undescribed({ ...exchange(row, method, status, headers), text })]).toEqual([
      type,
      [],
    ]);
  }
});

test.each(calls)('$method $path: the 429 of the firewall is described', ({ row, method }) => {
  const text = method === 'HEAD' ? '' : JSON.stringify(refusalBody(row.api, 'rate.limited'));
  for (const { name, action } of rateRules()) {
    const { block } = action as CfnWebACL.RuleActionProperty;
    const { responseCode, responseHeaders } = (block as CfnWebACL.BlockActionProperty)
      .customResponse as CfnWebACL.CustomResponseProperty;
    const sent = responseHeaders as readonly CfnWebACL.CustomHTTPHeaderProperty[];
    const headers = Object.fromEntries(sent.map(header => [header.name, header.value]));
    expect([name, undescribed({ ...exchange(row, method, responseCode, headers), text })]).toEqual([
      name,
      [],
    ]);
  }
});
