import { readdirSync, readFileSync } from 'node:fs';
import { secretHeaders } from '../../lib/contract/route.ts';
import { defaultStacks, running } from './support/stacks.ts';

const stack = running(defaultStacks());

interface CustomResponse {
  readonly ResponseCode: number;
  readonly CustomResponseBodyKey: string;
  readonly ResponseHeaders: readonly { readonly Name: string; readonly Value: string }[];
}

interface Rule {
  readonly Name: string;
  readonly Action?: { readonly Block?: { readonly CustomResponse?: CustomResponse } };
  readonly Statement: ReturnType<typeof stack.one>['Properties'];
  readonly VisibilityConfig: { readonly MetricName: string };
  readonly RuleLabels?: readonly { readonly Name: string }[];
}

const acl = stack.one('AWS::WAFv2::WebACL', ({ Name }) => Name === 'sombus-sandbox').Properties;
const rules: readonly Rule[] = acl['Rules'];
const ruleNamed = (name: string): Rule => {
  const found = rules.find(({ Name }) => Name === name);
  if (!found) throw new Error(`The firewall has no rule ${name}.`);
  return found;
};
const pathPattern = (statement: Rule['Statement']): RegExp =>
  new RegExp(statement['RegexMatchStatement'].RegexString);

describe('the firewall', () => {
  it('is one, before the stage of each API and the pool of people: it counts what an address asks of both', () => {
    const associations = stack.ofType('AWS::WAFv2::WebACLAssociation');
    const arns = associations.map(({ Properties }) => JSON.stringify(Properties['ResourceArn']));
    expect(arns.filter(arn => arn.includes('BusApi') && arn.includes('/stages/'))).toHaveLength(1);
    expect(arns.filter(arn => arn.includes('PortalApi') && arn.includes('/stages/'))).toHaveLength(
      1,
    );
    expect(arns.filter(arn => arn.includes('PeoplePool'))).toHaveLength(1);
    expect(associations).toHaveLength(3);
  });

  it('counts and keeps samples of what each rule matches, and of what none does', () => {
    const shown = [acl['VisibilityConfig'], ...rules.map(rule => rule.VisibilityConfig)];
    for (const config of shown)
      expect(config).toMatchObject({
        CloudWatchMetricsEnabled: true,
        SampledRequestsEnabled: true,
      });
  });

  it('distinguishes Basic clients by the Authorization header, only on the token route', () => {
    const rate = ruleNamed('token-per-basic-client').Statement['RateBasedStatement'];
    expect(rate.CustomKeys).toEqual([
      { Header: { Name: 'authorization', TextTransformations: [{ Priority: 0, Type: 'NONE' }] } },
    ]);
    const [path, scheme] = rate.ScopeDownStatement.AndStatement.Statements;
    expect(scheme.ByteMatchStatement).toMatchObject({
      PositionalConstraint: 'STARTS_WITH',
      SearchString: 'basic ',
      TextTransformations: [{ Type: 'LOWERCASE' }],
    });
    expect('/v1/oauth/token').toMatch(pathPattern(path));
    expect('/v1/oauth/token/').toMatch(pathPattern(path));
    expect('/v1/oauth/jwks').not.toMatch(pathPattern(path));
    expect(
      path.RegexMatchStatement.TextTransformations.map(({ Type }: { Type: string }) => Type),
    ).toEqual(['URL_DECODE', 'NORMALIZE_PATH']);
  });

  it.each([
    ['bus', { accepted: false, violations: [{ source: 'policy', rule: 'rate.limited' }] }],
    ['portal', { code: 'rate.limited' }],
  ])('%s: rate rules respond with its body, among others, and Retry-After', (_api, body) => {
    const custom = rules.flatMap(({ Action }) => Action?.Block?.CustomResponse ?? []);
    const own = custom.filter(
      ({ CustomResponseBodyKey }) => CustomResponseBodyKey === 'rate-limited',
    );
    expect(own.length).toBeGreaterThanOrEqual(2);
    // After a whole quiet window, the caller is certainly allowed again.
    const rates = rules.filter(rule => 'RateBasedStatement' in rule.Statement);
    expect(rates.length).toBeGreaterThanOrEqual(own.length);
    for (const { Statement, Action } of rates)
      expect(Action?.Block?.CustomResponse?.ResponseHeaders).toEqual([
        { Name: 'Retry-After', Value: String(Statement['RateBasedStatement'].EvaluationWindowSec) },
      ]);
    for (const { ResponseCode, ResponseHeaders } of own) {
      expect(ResponseCode).toBe(429);
      expect(ResponseHeaders.map(({ Name }) => Name)).toContain('Retry-After');
    }
    expect(JSON.parse(acl['CustomResponseBodies']['rate-limited'].Content)).toMatchObject(body);
  });

  it('has no more rate rules, and no longer patterns, than AWS WAF takes (AWS WAF: "Quotas")', () => {
    expect(
      rules.filter(({ Statement }) => 'RateBasedStatement' in Statement).length,
    ).toBeLessThanOrEqual(10);
    const patterns = [...JSON.stringify(rules).matchAll(/"RegexString":"((?:[^"\\]|\\.)*)"/g)];
    expect(patterns.length).toBeGreaterThan(5);
    for (const [, pattern = ''] of patterns)
      expect(JSON.parse(`"${pattern}"`).length).toBeLessThanOrEqual(512);
  });

  it('rules of AWS that judge bodies only count', () => {
    const overrides = rules.flatMap(
      ({ Statement }) => Statement['ManagedRuleGroupStatement']?.RuleActionOverrides ?? [],
    );
    expect(overrides.map(({ Name }: { Name: string }) => Name).sort()).toEqual([
      'CrossSiteScripting_BODY',
      'EC2MetaDataSSRF_BODY',
      'GenericLFI_BODY',
      'GenericRFI_BODY',
      'JavaDeserializationRCE_BODY',
      'Log4JRCE_BODY',
      'NoUserAgent_HEADER',
      'ReactJSRCE_BODY',
      'SizeRestrictions_BODY',
    ]);
    for (const { ActionToUse } of overrides) expect(ActionToUse).toEqual({ Count: {} });
  });

  it('refuses attacks in bodies where a body is neither a message nor a skill', () => {
    const { AndStatement } = ruleNamed('attack-in-other-bodies').Statement;
    const [path, labels] = AndStatement.Statements;
    const consumer = '/v1/tenants/t1/consumers/c1';
    const others = [
      '/v1/oauth/token',
      '/v1/tenants/t1/principals/verify',
      `${consumer}/ack`,
      `${consumer}/nack`,
    ];
    for (const other of others) expect(other).toMatch(pathPattern(path));
    const contents = ['', '/jwt', '/tenants/t1', '/tenants/t1/iam'].map(of => `/v1${of}/messages`);
    for (const content of [...contents, '/v1/tenants/t1/validate', '/v1/tenants/t1/iam/validate'])
      expect(content).not.toMatch(pathPattern(path));
    expect(labels.OrStatement.Statements).toHaveLength(7);
    expect('/api/skills/validate').not.toMatch(pathPattern(path));
  });

  it('looks at paths and the Authorization header alone: AWS’s own rules read bodies, ours do not', () => {
    const fieldsIn = (value: unknown): readonly unknown[] => {
      if (typeof value !== 'object' || value === null) return [];
      const inner = Object.values(value).flatMap(fieldsIn);
      return 'FieldToMatch' in value ? [value.FieldToMatch, ...inner] : inner;
    };
    const fields = fieldsIn(rules).map(field => JSON.stringify(field));
    expect([...new Set(fields)].sort()).toEqual([
      JSON.stringify({ SingleHeader: { Name: 'authorization' } }),
      JSON.stringify({ UriPath: {} }),
    ]);
  });

  it('no secret reaches a log, a sample or a rate rule’s details', () => {
    const { DataProtections } = acl['DataProtectionConfig'];
    expect(DataProtections.map(({ Field }: { Field: object }) => Field)).toEqual([
      { FieldType: 'SINGLE_HEADER', FieldKeys: secretHeaders },
      { FieldType: 'QUERY_STRING' },
      { FieldType: 'BODY' },
    ]);
    for (const { Action, ExcludeRateBasedDetails } of DataProtections) {
      expect([Action, ExcludeRateBasedDetails]).toEqual(['SUBSTITUTION', false]);
    }
    const logging = stack.one('AWS::WAFv2::LoggingConfiguration', () => true);
    expect(logging.Properties['RedactedFields']).toEqual([
      ...secretHeaders.map(Name => ({ SingleHeader: { Name } })),
      { QueryString: {} },
    ]);
    const destination = JSON.stringify(logging.Properties['LogDestinationConfigs']);
    expect(destination).toContain(':log-group:');
  });

  it('the list of secret headers is complete: each header that the code reads is in it, or is no secret', () => {
    const sources = readdirSync('lib', { recursive: true, encoding: 'utf8' })
      .filter(
        name => name.endsWith('.ts') && !/^(cli|kit\/client|local\/testing|generated)\//.test(name),
      )
      .map(name => readFileSync(`lib/${name}`, 'utf8'));
    const read =
      /headers(?:Distinct)?(?:\.(?!(?:map|filter|get)\b)|\[')([a-z-]+)|headerOf\(\w+, '([a-z0-9-]+)'|singleHeader: \{ Name: '([a-z-]+)'/g;
    const names = sources.flatMap(text =>
      [...text.matchAll(read)].map(found => found.slice(1).join('')),
    );
    const open = new Set(
      'accept accept-encoding content-encoding content-length content-type host if-none-match origin sec-fetch-site traceparent user-agent x-amz-content-sha256 x-amz-date x-amz-target'.split(
        ' ',
      ),
    );
    const secrets = new Set(names.filter(name => !open.has(name)));
    expect([...secrets].sort()).toEqual(['authorization', 'cookie', 'x-amz-security-token']);
    expect(secretHeaders).toEqual(expect.arrayContaining([...secrets, 'set-cookie']));
  });

  it('logs to groups that AWS WAF may write to', () => {
    const names = stack
      .ofType('AWS::Logs::LogGroup')
      .map(({ Properties }) => Properties['LogGroupName']);
    expect(names.filter(name => name.startsWith('aws-waf-logs-'))).toEqual([
      'aws-waf-logs-sombus-sandbox',
    ]);
  });
});

/** A request as the firewall sees it. */
interface Seen {
  readonly path: string;
  readonly authorization?: string;
}

type Statement = Rule['Statement'];

/**
 * Whether a statement matches a request; what reads bodies and AWS's lists matches nothing here.
 */
const matches = (statement: Statement, seen: Seen, labels: ReadonlySet<string>): boolean => {
  const [[kind, inner] = ['', {}]] = Object.entries(statement) as readonly [string, Statement][];
  const header = seen.authorization?.toLowerCase() ?? '';
  switch (kind) {
    case 'AndStatement':
      return inner['Statements'].every((one: Statement) => matches(one, seen, labels));
    case 'OrStatement':
      return inner['Statements'].some((one: Statement) => matches(one, seen, labels));
    case 'NotStatement':
      return !matches(inner['Statement'], seen, labels);
    case 'RegexMatchStatement':
      return new RegExp(inner['RegexString']).test(seen.path);
    case 'ByteMatchStatement':
      return header.startsWith(inner['SearchString']);
    case 'LabelMatchStatement':
      return labels.has(inner['Key']);
    default:
      return false;
  }
};

/**
 * One minute of the firewall: counts as AWS WAF does, rule by rule, a blocked request not by later
 * rules.
 */
const minute = () => {
  const counts = new Map<string, number>();
  return (address: string, seen: Seen): string | undefined => {
    const labels = new Set<string>();
    for (const { Name, Statement, Action, RuleLabels = [] } of rules) {
      const rate = Statement['RateBasedStatement'];
      const scope = rate?.ScopeDownStatement ?? {};
      if (
        rate
          ? rate.ScopeDownStatement && !matches(scope, seen, labels)
          : !matches(Statement, seen, labels)
      )
        continue;
      const key = `${Name} ${rate?.AggregateKeyType === 'IP' ? address : (seen.authorization ?? '')}`;
      const own = rate?.AggregateKeyType === 'CONSTANT' ? Name : key;
      counts.set(own, (counts.get(own) ?? 0) + 1);
      const limit = rate ? (rate.Limit * 60) / rate.EvaluationWindowSec : 0;
      if (rate && (counts.get(own) ?? 0) <= limit) continue;
      if (Action?.Block) return Name;
      for (const label of RuleLabels) labels.add(label.Name);
    }
    return undefined;
  };
};

/**
 * The rule that refuses an honest caller after some addresses did their worst for a minute;
 * undefined if it is served.
 */
const ruleAfter = (addresses: number, attack: Seen, honest: Seen): string | undefined => {
  const ask = minute();
  for (let request = 0; request < 700; request += 1)
    for (let address = 0; address < addresses; address += 1) ask(`198.51.100.${address}`, attack);
  return ask('192.0.2.1', honest);
};

describe('an address cannot take what all callers share', () => {
  const bearer = { path: '/v1/tenants/w1/messages', authorization: 'Bearer x' };
  const health = { path: '/v1/health' };
  const signed = {
    path: '/v1/tenants/w1/iam/messages',
    authorization: 'AWS4-HMAC-SHA256 Credential=x',
  };

  it.each<[string, number, Seen, Seen]>([
    ['signed callers', 4, signed, signed],
    ['the bus, from anonymous callers', 19, health, bearer],
    ['the bus, from forged tokens', 19, { ...bearer, path: '/v1/messages' }, health],
    ['the bus, from any header', 19, { ...health, authorization: 'x' }, bearer],
  ])('%s are served while %i addresses flood', (_who, addresses, attack, honest) => {
    expect(ruleAfter(addresses, attack, honest)).toBeUndefined();
  });

  it.each<Seen>([
    bearer,
    health,
    signed,
    { path: '/api/skills/library' },
    { path: '/api/skills/validate' },
    { path: '/app' },
    { path: '/docs' },
  ])('an address gets no 429 before request 601 of a minute: $path', seen => {
    const ask = minute();
    const refusals = Array.from({ length: 601 }, () => ask('192.0.2.1', seen));
    expect(refusals.findIndex(rule => rule !== undefined)).toBe(600);
  });

  it('the runbook says how many addresses it takes', () => {
    const all = { path: '/v1/messages', authorization: 'x' };
    expect(readFileSync('docs/runbook.md', 'utf8')).toContain('twenty to stop the bus');
    expect(ruleAfter(19, all, bearer)).toBeUndefined();
    // Twenty-one that stay at the limit of each use up the bus.
    const ask = minute();
    for (let request = 0; request < 600; request += 1)
      for (let address = 0; address < 21; address += 1) ask(`198.51.100.${address}`, all);
    expect(ask('192.0.2.1', bearer)).toBe('whole-api-together');
  });

  it('600 requests a minute of one address count over both APIs', () => {
    const ask = minute();
    const asked = Array.from({ length: 599 }, () => ask('192.0.2.1', bearer));
    expect(new Set(asked)).toEqual(new Set([undefined]));
    expect(ask('192.0.2.1', { path: '/docs' })).toBeUndefined();
    expect(ask('192.0.2.1', bearer)).toBe('any-route-per-address');
    expect(ask('192.0.2.1', { path: '/docs' })).toBe('any-route-per-address');
    expect(ask('192.0.2.2', bearer)).toBeUndefined();
  });
});
