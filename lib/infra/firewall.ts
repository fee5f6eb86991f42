import { Stack } from 'aws-cdk-lib';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { resourceNames } from '../contract/environments.ts';
import { refusalBody } from '../contract/refusals.ts';
import { secretHeaders } from '../contract/route.ts';
import { managedGroups, rateLimitedBody, rateRules } from './firewall-rules.ts';
import { KeptLog, type LogSettings } from './log-archive.ts';

/** Never in a log or a sampled request: a caller's credentials and content. */
const protectedFields = [
  { fieldType: 'SINGLE_HEADER', fieldKeys: [...secretHeaders] },
  { fieldType: 'QUERY_STRING' },
  { fieldType: 'BODY' },
];

/**
 * The firewall in front of both APIs and of the pages that people sign in with: counts requests
 * over minutes and refuses known attacks. It is approximate and reacts within seconds; handlers
 * check what must be exact. None of our own rules reads bodies.
 */
export class Firewall extends Construct {
  readonly #acl: CfnWebACL;

  constructor(scope: Construct, id: string, settings: LogSettings) {
    super(scope, id);
    const name = resourceNames(settings.environment).firewall;
    this.#acl = new CfnWebACL(this, 'Acl', {
      name,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: {
        cloudWatchMetricsEnabled: true,
        metricName: name,
        sampledRequestsEnabled: true,
      },
      // A rule costs as much as the rest of an idle function: one body has the members of both
      // APIs' shapes.
      customResponseBodies: {
        [rateLimitedBody]: {
          contentType: 'APPLICATION_JSON',
          content: JSON.stringify({
            ...refusalBody('bus', 'rate.limited'),
            ...refusalBody('portal', 'rate.limited'),
          }),
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
      rules: [...rateRules(), ...managedGroups()].map((rule, priority) => ({ ...rule, priority })),
    });
    this.keepLog(name, settings);
  }

  /** Puts the firewall in front of an API or a user pool, which may be in another stack. */
  protect(scope: Construct, resourceArn: string): void {
    new CfnWebACLAssociation(scope, 'Firewall', { resourceArn, webAclArn: this.#acl.attrArn });
  }

  /** Requests that were refused or counted; allowed requests are in the access log. */
  private keepLog(name: string, settings: LogSettings): void {
    // The only names AWS WAF writes to.
    const log = new KeptLog(this, 'Log', { ...settings, logGroupName: `aws-waf-logs-${name}` });
    const kept = ['BLOCK', 'COUNT'].map(action => ({ ActionCondition: { Action: action } }));
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: this.#acl.attrArn,
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
