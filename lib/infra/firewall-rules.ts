import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { BlockingRule } from '../contract/alarms.ts';
import { throttles, windows } from '../contract/limits.ts';
import { pathBefore } from '../contract/paths.ts';
import { signInPath } from '../contract/portal/portal.ts';
import type { Route } from '../contract/route.ts';
import { routes } from '../contract/routes.ts';
import { rules } from '../contract/rules.ts';
import { type RouteRow, rowsOf } from './route-api.ts';

type FirewallRule = Omit<CfnWebACL.RuleProperty, 'priority'>;
type Statement = CfnWebACL.StatementProperty;
type RateStatement = Omit<CfnWebACL.RateBasedStatementProperty, 'limit' | 'evaluationWindowSec'>;

/** As API Gateway itself reads a path: `%2f`, `//` and `/../` undone. */
const asRouted = [
  { type: 'URL_DECODE', priority: 0 },
  { type: 'NORMALIZE_PATH', priority: 1 },
];

const onPath = (regexString: string): Statement => ({
  regexMatchStatement: {
    fieldToMatch: { uriPath: {} },
    regexString,
    textTransformations: asRouted,
  },
});

/** Matches the addresses of some rows of one API, at a domain of one's own and at API Gateway's. */
const onRows = (rows: readonly Pick<Route, 'api' | 'path'>[]): Statement => {
  const patterns = rows.map(({ path }) =>
    path
      .replace(/\/$/, '')
      .replaceAll('.', '\\.')
      .replace('{proxy+}', '.+')
      .replace(/\{\w+\}/g, '[^/]+'),
  );
  const [before] = rows.map(({ api }) => pathBefore(api));
  return onPath(`^${before ? `(${before})?` : ''}(${patterns.join('|')})/?$`);
};

/** The bus's addresses, known or not. */
const onBus = onPath('^/(v1|\\.well-known)(/|$)');

const withBasic: Statement = {
  byteMatchStatement: {
    fieldToMatch: { singleHeader: { Name: 'authorization' } },
    positionalConstraint: 'STARTS_WITH',
    searchString: 'basic ',
    textTransformations: [{ type: 'LOWERCASE', priority: 0 }],
  },
};

const every = (...statements: readonly Statement[]): Statement => ({
  andStatement: { statements: [...statements] },
});

const counted =
  (aggregateKeyType: 'IP' | 'CONSTANT') =>
  (scopeDownStatement: Statement): RateStatement => ({ aggregateKeyType, scopeDownStatement });
const perAddress = counted('IP');
const together = counted('CONSTANT');

interface Window {
  readonly requests: number;
  readonly seconds: number;
}

/** A shared rate over the shortest available window. */
const perMinute = (perSecond: number): Window => ({ requests: perSecond * 60, seconds: 60 });

const visibility = (metricName: string): FirewallRule['visibilityConfig'] => ({
  cloudWatchMetricsEnabled: true,
  metricName,
  sampledRequestsEnabled: true,
});

export const rateLimitedBody = 'rate-limited';

/** A rule that counts requests, and refuses those above the limit with the 429 of both APIs. */
const rateRule = (name: BlockingRule, window: Window, statement: RateStatement): FirewallRule => ({
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
        // After a whole quiet window, the caller is certainly allowed again.
        responseHeaders: [{ name: 'Retry-After', value: String(window.seconds) }],
      },
    },
  },
  visibilityConfig: visibility(name),
});

const signed = onRows(rowsOf('bus').filter(({ throttle }) => throttle === 'signed'));
const onToken = onRows([routes.token]);
/**
 * The pages of managed login that send a mail (Cognito: "User-interactive managed login and classic
 * hosted UI endpoints").
 */
const mailingPages = ['/signup', '/forgotPassword', '/resendcode'] as const;
const onSignIn = onRows(
  [signInPath, ...mailingPages].map(path => ({ api: 'portal' as const, path })),
);

/**
 * The rules that count requests (`windows` of `lib/contract/limits.ts`). AWS WAF counts each rule
 * of a web ACL by itself, over all that the web ACL protects. What a rule blocks, later rules do
 * not count: so the limits of single addresses come first, and one of them alone cannot use up what
 * all callers share. API Gateway throttles each method separately; the last two rules limit what
 * methods share.
 */
export const rateRules = (): readonly FirewallRule[] => [
  rateRule('token-per-basic-client', windows.tokenPerBasicClient, {
    aggregateKeyType: 'CUSTOM_KEYS',
    customKeys: [
      { header: { name: 'authorization', textTransformations: [{ type: 'NONE', priority: 0 }] } },
    ],
    scopeDownStatement: every(onToken, withBasic),
  }),
  rateRule('token-per-address', windows.tokenPerAddress, perAddress(onToken)),
  rateRule('sign-in-per-address', windows.signInPerAddress, perAddress(onSignIn)),
  rateRule('any-route-per-address', windows.anyRoutePerAddress, { aggregateKeyType: 'IP' }),
  rateRule('signed-routes-together', perMinute(throttles.signed.perSecond), together(signed)),
  rateRule('whole-api-together', perMinute(throttles.wholeApi.perSecond), together(onBus)),
];

interface ManagedGroup {
  readonly name: BlockingRule;
  /** The prefix of the group's labels. */
  readonly namespace: string;
  /**
   * Rules that inspect a body, with their labels: on message and skill routes they may only count.
   */
  readonly bodyRules: Readonly<Record<string, string>>;
  /** Rules that only ever count. */
  readonly counted: readonly string[];
}

/**
 * AWS's groups, and which of their rules may refuse (AWS WAF: "AWS Managed Rules rule groups
 * list").
 */
const groups: readonly ManagedGroup[] = [
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

/**
 * News text may contain `<script>` and `../etc`: only schemas check the bodies of messages and
 * skills.
 */
const bodyIsContent = ({ api, ports }: RouteRow): boolean =>
  api === 'portal' || ports.includes('ledger.read');

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

/**
 * Requests that a body rule counted are refused after all if the body is neither a message nor a
 * skill.
 */
const bodyBlock = (): FirewallRule => {
  const labels = groups.flatMap(({ namespace, bodyRules }) =>
    Object.values(bodyRules).map(label => ({
      labelMatchStatement: { scope: 'LABEL', key: `${namespace}:${label}` },
    })),
  );
  const others = rowsOf('bus').filter(row => row.method === 'POST' && !bodyIsContent(row));
  const name: BlockingRule = 'attack-in-other-bodies';
  return {
    name,
    action: { block: {} },
    statement: every(onRows(others), { orStatement: { statements: labels } }),
    visibilityConfig: visibility(name),
  };
};

/**
 * AWS's managed groups; a refusal by one is answered by the API's gateway response for
 * WAF_FILTERED.
 */
export const managedGroups = (): readonly FirewallRule[] => [...groups.map(group), bodyBlock()];
