import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { refusalHeaders, resourcePathOf } from '../contract/addresses.ts';
import { throttles, windows } from '../contract/limits.ts';
import { signInPath } from '../contract/portal.ts';
import { type Route, routes } from '../contract/routes.ts';
import { rules } from '../contract/rules.ts';
import { type RouteRow, rowsOf } from './route-api.ts';

/** A rule whose priority is assigned later. */
export type FirewallRule = Omit<CfnWebACL.RuleProperty, 'priority'>;
type Statement = CfnWebACL.StatementProperty;
type RateStatement = Omit<CfnWebACL.RateBasedStatementProperty, 'limit' | 'evaluationWindowSec'>;

/** The key of the body that the rate rules answer with. */
export const rateLimitedBody = 'rate-limited';

/** As API Gateway itself reads a path: `%2f`, `//` and `/../` undone. */
const asRouted = [
  { type: 'URL_DECODE', priority: 0 },
  { type: 'NORMALIZE_PATH', priority: 1 },
];

/** Matches the addresses of some rows, with or without the stage in front. */
const onRows = (rows: readonly Pick<Route, 'path'>[]): Statement => {
  const patterns = rows.map(({ path }) =>
    resourcePathOf(path)
      .replace(/\{proxy\+\}/, '.+')
      .replace(/\{\w+\}/g, '[^/]+'),
  );
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

/** A shared rate over the shortest available window. */
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
          // After a whole quiet window, the caller is certainly allowed again.
          { name: 'Retry-After', value: String(window.seconds) },
          ...Object.entries(refusalHeaders(api)).map(([name, value]) => ({ name, value })),
        ],
      },
    },
  },
  visibilityConfig: { cloudWatchMetricsEnabled: true, metricName: name, sampledRequestsEnabled: true },
});

/** API Gateway throttles each method separately; these limit what methods share (signed callers, the whole bus). */
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

const signInRule = rateRule('portal', 'sign-in-per-address', windows.signInPerAddress, {
  aggregateKeyType: 'IP',
  scopeDownStatement: onRows([{ path: signInPath }]),
});

/** The rules that count requests (`windows` of `lib/contract/limits.ts`). */
export const rateRules = (api: Route['api']): readonly FirewallRule[] => [
  ...(api === 'bus' ? tokenRules(api) : [signInRule]),
  rateRule(api, 'any-route-per-address', windows.anyRoutePerAddress, { aggregateKeyType: 'IP' }),
  ...(api === 'bus' ? sharedRules(api) : []),
];

interface ManagedGroup {
  readonly name: string;
  /** The prefix of the group's labels. */
  readonly namespace: string;
  /** Rules that inspect a body, with their labels: on message and skill routes they may only count. */
  readonly bodyRules: Readonly<Record<string, string>>;
  /** Rules that only ever count. */
  readonly counted: readonly string[];
}

/** AWS's groups, and which of their rules may refuse (AWS WAF: "AWS Managed Rules rule groups list"). */
export const groups: readonly ManagedGroup[] = [
  {
    name: 'AWSManagedRulesAmazonIpReputationList',
    namespace: 'awswaf:managed:aws:amazon-ip-list',
    bodyRules: {},
    counted: [],
  },
  {
    name: 'AWSManagedRulesCommonRuleSet',
    namespace: 'awswaf:managed:aws:core-rule-set',
    bodyRules: {
      EC2MetaDataSSRF_BODY: 'EC2MetaDataSSRF_Body',
      GenericLFI_BODY: 'GenericLFI_Body',
      GenericRFI_BODY: 'GenericRFI_Body',
      CrossSiteScripting_BODY: 'CrossSiteScripting_Body',
    },
    // Bodies of 8 KB are common here, and a client need not send a User-Agent.
    counted: ['SizeRestrictions_BODY', 'NoUserAgent_HEADER'],
  },
  {
    name: 'AWSManagedRulesKnownBadInputsRuleSet',
    namespace: 'awswaf:managed:aws:known-bad-inputs',
    bodyRules: {
      Log4JRCE_BODY: 'Log4JRCE_Body',
      JavaDeserializationRCE_BODY: 'JavaDeserializationRCE_Body',
      ReactJSRCE_BODY: 'ReactJSRCE_Body',
    },
    counted: [],
  },
];

/** News text may contain `<script>` and `../etc`: only schemas check the bodies of messages and skills. */
const bodyIsContent = ({ api, ports }: RouteRow): boolean => api === 'portal' || ports.includes('ledger');

const visibility = (metricName: string): FirewallRule['visibilityConfig'] => ({
  cloudWatchMetricsEnabled: true,
  metricName,
  sampledRequestsEnabled: true,
});

const group = ({ name, bodyRules, counted }: ManagedGroup): FirewallRule => ({
  name,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: [...Object.keys(bodyRules), ...counted].map(rule => ({
        name: rule,
        actionToUse: { count: {} },
      })),
    },
  },
  visibilityConfig: visibility(name),
});

/** Requests that a body rule counted are refused after all if the body is neither a message nor a skill. */
const bodyBlock = (rows: readonly RouteRow[]): FirewallRule => {
  const labels = groups.flatMap(({ namespace, bodyRules }) =>
    Object.values(bodyRules).map(label => ({
      labelMatchStatement: { scope: 'LABEL', key: `${namespace}:${label}` },
    })),
  );
  return {
    name: 'attack-in-other-bodies',
    action: { block: {} },
    statement: {
      andStatement: { statements: [onRows(rows), { orStatement: { statements: labels } }] },
    },
    visibilityConfig: visibility('attack-in-other-bodies'),
  };
};

/** AWS's managed groups; a refusal by one is answered by the API's gateway response for WAF_FILTERED. */
export const managedGroups = (api: Route['api']): readonly FirewallRule[] => {
  const others = rowsOf(api).filter(row => row.method === 'POST' && !bodyIsContent(row));
  return [...groups.map(group), ...(others.length > 0 ? [bodyBlock(others)] : [])];
};
