import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { resourcePathOf } from '../contract/addresses.ts';
import { throttles, windows } from '../contract/limits.ts';
import type { Route } from '../contract/route.ts';
import { routes } from '../contract/routes.ts';
import { rules } from '../contract/rules.ts';
import { refusalHeaders } from './refusal-bodies.ts';
import { rowsOf } from './route-rows.ts';

/** A rule whose place among the others is given later. */
export type FirewallRule = Omit<CfnWebACL.RuleProperty, 'priority'>;
type Statement = CfnWebACL.StatementProperty;
type RateStatement = Omit<CfnWebACL.RateBasedStatementProperty, 'limit' | 'evaluationWindowSec'>;

/** The key of the body that the rules answer with. */
export const rateLimitedBody = 'rate-limited';

/** As API Gateway itself reads a path: `%2f`, `//` and `/../` undone. */
const asRouted = [
  { type: 'URL_DECODE', priority: 0 },
  { type: 'NORMALIZE_PATH', priority: 1 },
];

/** Matches the addresses of some rows, with or without the stage in front. */
export const onRows = (rows: readonly Pick<Route, 'path'>[]): Statement => {
  const patterns = rows.map(({ path }) => resourcePathOf(path).replace(/\{\w+\}/g, '[^/]+'));
  return {
    regexMatchStatement: {
      fieldToMatch: { uriPath: {} },
      regexString: `(${patterns.join('|')})/?$`,
      textTransformations: asRouted,
    },
  };
};

const onToken = onRows([routes.token]);

const withBasic: Statement = {
  byteMatchStatement: {
    fieldToMatch: { singleHeader: { Name: 'authorization' } },
    positionalConstraint: 'STARTS_WITH',
    searchString: 'basic ',
    textTransformations: [{ type: 'LOWERCASE', priority: 0 }],
  },
};

const everything: Statement = {
  byteMatchStatement: {
    fieldToMatch: { uriPath: {} },
    positionalConstraint: 'STARTS_WITH',
    searchString: '/',
    textTransformations: [{ type: 'NONE', priority: 0 }],
  },
};

const perHeader: RateStatement['customKeys'] = [
  { header: { name: 'authorization', textTransformations: [{ type: 'NONE', priority: 0 }] } },
];

interface Window {
  readonly requests: number;
  readonly seconds: number;
}

/** A shared rate over the shortest window there is. */
const perMinute = (perSecond: number): Window => ({ requests: perSecond * 60, seconds: 60 });

const rateRule = (
  api: Route['api'],
  name: string,
  window: Window,
  statement: RateStatement,
): FirewallRule => ({
  name,
  statement: {
    rateBasedStatement: {
      ...statement,
      limit: window.requests,
      evaluationWindowSec: window.seconds,
    },
  },
  action: {
    block: {
      customResponse: {
        responseCode: rules['rate.limited'].status,
        customResponseBodyKey: rateLimitedBody,
        responseHeaders: [
          // After a whole quiet window the caller is surely let in again.
          { name: 'Retry-After', value: String(window.seconds) },
          ...Object.entries(refusalHeaders(api)).map(([name, value]) => ({ name, value })),
        ],
      },
    },
  },
  visibilityConfig: { cloudWatchMetricsEnabled: true, metricName: name, sampledRequestsEnabled: true },
});

/** API Gateway throttles method by method; these bound what methods share (signed callers, the whole bus). */
const sharedRules = (api: Route['api']): readonly FirewallRule[] => {
  const signed = onRows(rowsOf(api).filter(({ throttle }) => throttle === 'signed'));
  return [
    rateRule(api, 'signed-routes-together', perMinute(throttles.signed.perSecond), {
      aggregateKeyType: 'CONSTANT',
      scopeDownStatement: signed,
    }),
    rateRule(api, 'whole-api-together', perMinute(throttles.wholeApi.perSecond), {
      aggregateKeyType: 'CONSTANT',
      scopeDownStatement: everything,
    }),
  ];
};

const tokenRules = (api: Route['api']): readonly FirewallRule[] => [
  rateRule(api, 'token-per-basic-client', windows.tokenPerBasicClient, {
    aggregateKeyType: 'CUSTOM_KEYS',
    customKeys: perHeader,
    scopeDownStatement: { andStatement: { statements: [onToken, withBasic] } },
  }),
  rateRule(api, 'token-per-address', windows.tokenPerAddress, {
    aggregateKeyType: 'IP',
    scopeDownStatement: onToken,
  }),
];

/** The rules that count requests (`windows` of `lib/contract/limits.ts`). */
export const rateRules = (api: Route['api']): readonly FirewallRule[] => [
  ...(api === 'bus' ? tokenRules(api) : []),
  rateRule(api, 'any-route-per-address', windows.anyRoutePerAddress, { aggregateKeyType: 'IP' }),
  ...(api === 'bus' ? sharedRules(api) : []),
];
