import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { resourcePathOf } from '../contract/addresses.ts';
import { refusalHeaders } from '../contract/cross-origin.ts';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import { throttles, windows } from '../contract/limits.ts';
import { refusalBody } from '../contract/refusals.ts';
import { type Route, routes } from '../contract/routes.ts';
import { rules } from '../contract/rules.ts';
import { managedGroups } from './firewall-managed-groups.ts';
import { rowsOf } from './route-api.ts';
import { logRetention } from './service-function.ts';

/** A rule whose place among the others is given later. */
export type FirewallRule = Omit<CfnWebACL.RuleProperty, 'priority'>;
type Statement = CfnWebACL.StatementProperty;
type RateStatement = Omit<CfnWebACL.RateBasedStatementProperty, 'limit' | 'evaluationWindowSec'>;

/** The key of the body that the rules answer with. */
const rateLimitedBody = 'rate-limited';

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

/** Never in a log or a sampled request: what a caller proves itself with, and what it sends. */
const secretHeaders = ['authorization', 'x-amz-security-token'];
const protectedFields = [
  { fieldType: 'SINGLE_HEADER', fieldKeys: secretHeaders },
  { fieldType: 'QUERY_STRING' },
  { fieldType: 'BODY' },
];

export interface FirewallProps {
  readonly api: Route['api'];
  readonly environment: EnvironmentName;
  readonly restApi: RestApi;
}

/**
 * The firewall before an API: counts requests over minutes and refuses known attacks. It is a fence, late by seconds; what
 * must be exact is checked by the handlers. No rule of its own reads bodies.
 */
export class Firewall extends Construct {
  readonly acl: CfnWebACL;

  constructor(scope: Construct, id: string, { api, environment, restApi }: FirewallProps) {
    super(scope, id);
    const name = resourceNames(environment).firewall(api);
    this.acl = new CfnWebACL(this, 'Acl', {
      name,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: { cloudWatchMetricsEnabled: true, metricName: name, sampledRequestsEnabled: true },
      customResponseBodies: {
        [rateLimitedBody]: {
          contentType: 'APPLICATION_JSON',
          content: JSON.stringify(refusalBody(api, 'rate.limited')),
        },
      },
      dataProtectionConfig: {
        dataProtections: protectedFields.map(field => ({
          field,
          action: 'SUBSTITUTION',
          // A rate rule's key is the header itself.
          excludeRateBasedDetails: false,
          excludeRuleMatchDetails: false,
        })),
      },
      rules: [...rateRules(api), ...managedGroups(api)].map((rule, priority) => ({ ...rule, priority })),
    });
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: restApi.deploymentStage.stageArn,
      webAclArn: this.acl.attrArn,
    });
    this.keepLog(name);
  }

  /** What was refused or counted; what was let through is in the access log. */
  private keepLog(name: string): void {
    const log = new LogGroup(this, 'Log', {
      logGroupName: `aws-waf-logs-${name}`, // the only names AWS WAF writes to
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const kept = ['BLOCK', 'COUNT'].map(action => ({ ActionCondition: { Action: action } }));
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: this.acl.attrArn,
      logDestinationConfigs: [
        Stack.of(this).formatArn({ service: 'logs', resource: `log-group:${log.logGroupName}` }),
      ],
      redactedFields: [
        ...secretHeaders.map(header => ({ singleHeader: { Name: header } })),
        { queryString: {} },
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [{ Behavior: 'KEEP', Conditions: kept, Requirement: 'MEETS_ANY' }],
      },
    });
  }
}
