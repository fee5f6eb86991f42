import { WAFV2Client } from '@aws-sdk/client-wafv2';
import { awsFirewall } from '../../../lib/access/trust/firewall.wafv2.ts';
import { answering } from '../../support/fakes/aws-clients.ts';

type Responses = Readonly<Record<string, (input: Record<string, unknown>) => object>>;

/** An AWS WAF whose responses are given, by operation; it notes what it is asked. */
const wafWith = (responses: Responses, asked: unknown[] = []): WAFV2Client =>
  answering(WAFV2Client, command => {
    asked.push([command.constructor.name, command.input]);
    const response = responses[command.constructor.name];
    if (!response) throw new Error(`Nobody answers ${command.constructor.name}.`);
    return response({ ...command.input });
  });

const rule = (Name: string, AggregateKeyType: string, MetricName: string) => ({
  Name,
  Statement: { RateBasedStatement: { AggregateKeyType } },
  VisibilityConfig: { MetricName },
});
const rules = [rule('per-address', 'IP', 'm1'), rule('per-client', 'CUSTOM_KEYS', 'm2')];

const base: Responses = {
  // Two pages, to see that both are read.
  ListWebACLsCommand: ({ NextMarker }) =>
    NextMarker
      ? { WebACLs: [{ Name: 'bus', Id: '1' }] }
      : { WebACLs: [{ Name: 'other', Id: '0' }], NextMarker: 'more' },
  GetWebACLCommand: () => ({ WebACL: { Name: 'bus', Id: '1', ARN: 'arn:acl', Rules: rules } }),
};

describe('the firewall as AWS WAF sees it', () => {
  it('is asked by its name, for its own rules and the hundred newest requests of each', async () => {
    const asked: unknown[] = [];
    const client = wafWith(
      {
        ...base,
        GetRateBasedStatementManagedKeysCommand: () => ({}),
        GetSampledRequestsCommand: () => ({ SampledRequests: [{}] }),
      },
      asked,
    );
    const [from, to] = [new Date(1_000), new Date(2_000)];
    expect(await awsFirewall(client, 'bus').blocked()).toEqual([]);
    const unknown = { at: new Date(0), action: '', address: '', method: '', path: '' };
    expect(await awsFirewall(client, 'bus').sampled(from, to)).toEqual([
      { ...unknown, rule: 'per-address' },
      { ...unknown, rule: 'per-client' },
    ]);
    const Scope = 'REGIONAL';
    const found = [
      ['ListWebACLsCommand', { Scope }],
      ['ListWebACLsCommand', { Scope, NextMarker: 'more' }],
      ['GetWebACLCommand', { Scope, Name: 'bus', Id: '1' }],
    ];
    const named = { Scope, WebACLName: 'bus', WebACLId: '1', RuleName: 'per-address' };
    const sample = (RuleMetricName: string) => [
      'GetSampledRequestsCommand',
      {
        Scope,
        WebAclArn: 'arn:acl',
        RuleMetricName,
        TimeWindow: { StartTime: from, EndTime: to },
        MaxItems: 100,
      },
    ];
    expect(asked).toEqual([
      ...found,
      ['GetRateBasedStatementManagedKeysCommand', named],
      ...found,
      sample('m1'),
      sample('m2'),
    ]);
  });

  it('lists the addresses that rules counting by address refuse now', async () => {
    const asked: unknown[] = [];
    const client = wafWith({
      ...base,
      GetRateBasedStatementManagedKeysCommand: ({ RuleName }) => {
        asked.push(RuleName);
        return {
          ManagedKeysIPV4: { Addresses: ['192.0.2.7/32'] },
          ManagedKeysIPV6: { Addresses: ['2001:db8::7/128'] },
        };
      },
    });
    expect(await awsFirewall(client, 'bus').blocked()).toEqual([
      { rule: 'per-address', address: '192.0.2.7/32' },
      { rule: 'per-address', address: '2001:db8::7/128' },
    ]);
    expect(asked).toEqual(['per-address']);
  });

  it('a rule that has counted nothing yet refuses no one', async () => {
    const client = wafWith({
      ...base,
      GetRateBasedStatementManagedKeysCommand: () => {
        throw Object.assign(new Error('none'), { name: 'WAFNonexistentItemException' });
      },
    });
    expect(await awsFirewall(client, 'bus').blocked()).toEqual([]);
  });

  it('samples every rule, newest first, without headers', async () => {
    const from = new Date('2026-05-04T09:00:00Z');
    const to = new Date('2026-05-04T09:15:00Z');
    const client = wafWith({
      ...base,
      GetSampledRequestsCommand: ({ RuleMetricName, TimeWindow }) => {
        expect(TimeWindow).toEqual({ StartTime: from, EndTime: to });
        const Request = {
          ClientIP: '192.0.2.7',
          Method: 'POST',
          URI: '/v1/oauth/token',
          Headers: [{ Name: 'authorization', Value: 'Basic c2VjcmV0' }],
        };
        const Timestamp = new Date(from.getTime() + (RuleMetricName === 'm1' ? 1 : 2) * 60_000);
        return { SampledRequests: [{ Request, Weight: 1, Action: 'BLOCK', Timestamp }] };
      },
    });
    const common = {
      action: 'BLOCK',
      address: '192.0.2.7',
      method: 'POST',
      path: '/v1/oauth/token',
    };
    expect(await awsFirewall(client, 'bus').sampled(from, to)).toEqual([
      { at: new Date('2026-05-04T09:02:00Z'), rule: 'per-client', ...common },
      { at: new Date('2026-05-04T09:01:00Z'), rule: 'per-address', ...common },
    ]);
  });

  it('an environment that is not deployed here is reported in one sentence', async () => {
    await expect(awsFirewall(wafWith(base), 'sombus-preview').blocked()).rejects.toThrow(
      'There is no firewall sombus-preview here: is the environment deployed in this account and region?',
    );
  });
});
