import type { Route } from '../contract/routes.ts';
import { type FirewallRule, onRows } from './firewall.ts';
import { type RouteRow, rowsOf } from './route-api.ts';

interface ManagedGroup {
  readonly name: string;
  /** What the group's labels start with. */
  readonly namespace: string;
  /** Rules that judge a body, with their labels: on message and skill routes they may only count. */
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
    // Bodies of 8 KB are usual here, and a program need not name itself.
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

/** News text holds `<script>` and `../etc`: only schemas judge the bodies of messages and skills. */
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

/** What a body rule counted is refused after all where the body is neither a message nor a skill. */
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
