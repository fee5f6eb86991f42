import {
  GetRateBasedStatementManagedKeysCommand,
  GetSampledRequestsCommand,
  GetWebACLCommand,
  ListWebACLsCommand,
  type Rule,
  type SampledHTTPRequest,
  type WAFV2Client,
  type WebACL,
} from '@aws-sdk/client-wafv2';
import { unlessError } from '../../platform/aws/table.ts';

/** Never its headers or body. */
interface FirewallHit {
  readonly at: Date;
  readonly rule: string;
  readonly action: string;
  readonly address: string;
  readonly method: string;
  readonly path: string;
}

export interface FirewallView {
  blocked(): Promise<readonly { readonly rule: string; readonly address: string }[]>;
  /**
   * A sample of what rules matched between two times, newest first; the firewall remembers three
   * hours.
   */
  sampled(from: Date, to: Date): Promise<readonly FirewallHit[]>;
}

const Scope = 'REGIONAL';
const samplesPerRule = 100;

const findAcl = async (client: WAFV2Client, name: string): Promise<WebACL> => {
  let NextMarker: string | undefined;
  do {
    const page = await client.send(
      new ListWebACLsCommand({ Scope, ...(NextMarker && { NextMarker }) }),
    );
    const found = page.WebACLs?.find(({ Name }) => Name === name);
    if (found) {
      const { WebACL } = await client.send(
        new GetWebACLCommand({ Scope, Name: name, Id: found.Id }),
      );
      if (WebACL) return WebACL;
    }
    NextMarker = page.NextMarker;
  } while (NextMarker);
  throw new Error(
    `There is no firewall ${name} here: is the environment deployed in this account and region?`,
  );
};

/** AWS WAF lists what it refuses for rules that count by address only. */
const countsByAddress = ({ Statement }: Rule): boolean =>
  Statement?.RateBasedStatement?.AggregateKeyType === 'IP';

const refusedBy = async (
  client: WAFV2Client,
  acl: WebACL,
  rule: string,
): Promise<readonly string[]> => {
  const keys = new GetRateBasedStatementManagedKeysCommand({
    Scope,
    WebACLName: acl.Name,
    WebACLId: acl.Id,
    RuleName: rule,
  });
  // AWS WAF does not know a rule that has not counted anything yet.
  const refused = await unlessError(client.send(keys), 'WAFNonexistentItemException');
  return [
    ...(refused?.ManagedKeysIPV4?.Addresses ?? []),
    ...(refused?.ManagedKeysIPV6?.Addresses ?? []),
  ];
};

const hit =
  (rule: string) =>
  ({ Request, Timestamp, Action, RuleNameWithinRuleGroup }: SampledHTTPRequest): FirewallHit => ({
    at: Timestamp ?? new Date(0),
    rule: RuleNameWithinRuleGroup ?? rule,
    action: Action ?? '',
    address: Request?.ClientIP ?? '',
    method: Request?.Method ?? '',
    path: Request?.URI ?? '',
  });

export const awsFirewall = (client: WAFV2Client, name: string): FirewallView => ({
  async blocked() {
    const acl = await findAcl(client, name);
    const rules = (acl.Rules ?? []).filter(countsByAddress).map(({ Name }) => Name ?? '');
    const lists = rules.map(async rule =>
      (await refusedBy(client, acl, rule)).map(address => ({ rule, address })),
    );
    return (await Promise.all(lists)).flat();
  },

  async sampled(from, to) {
    const acl = await findAcl(client, name);
    const samples = (acl.Rules ?? []).map(async ({ Name, VisibilityConfig }) => {
      const { SampledRequests } = await client.send(
        new GetSampledRequestsCommand({
          Scope,
          WebAclArn: acl.ARN,
          RuleMetricName: VisibilityConfig?.MetricName,
          TimeWindow: { StartTime: from, EndTime: to },
          MaxItems: samplesPerRule,
        }),
      );
      return (SampledRequests ?? []).map(hit(Name ?? ''));
    });
    return (await Promise.all(samples)).flat().sort((a, b) => b.at.getTime() - a.at.getTime());
  },
});
