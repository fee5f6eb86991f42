import { defaultStacks, stackNamed } from './support/stacks.ts';

const stack = stackNamed(defaultStacks(), 'sombus-sandbox-stateless');

interface Rule {
  readonly Name: string;
  readonly Action?: { readonly Block?: { readonly CustomResponse?: object } };
  readonly Statement: ReturnType<typeof stack.one>['Properties'];
  readonly VisibilityConfig: object;
}

const acl = (api: string) =>
  stack.one('AWS::WAFv2::WebACL', ({ Name }) => Name === `sombus-sandbox-${api}`).Properties;
const rulesOf = (api: string): readonly Rule[] => acl(api)['Rules'];
const ruleNamed = (api: string, name: string): Rule => {
  const found = rulesOf(api).find(({ Name }) => Name === name);
  if (!found) throw new Error(`The firewall of ${api} has no rule ${name}.`);
  return found;
};
const pathPattern = (statement: Rule['Statement']): RegExp =>
  new RegExp(statement['RegexMatchStatement'].RegexString);

describe('the firewall', () => {
  it('stands before the stage of each API', () => {
    const associations = stack.ofType('AWS::WAFv2::WebACLAssociation');
    const arns = associations.map(({ Properties }) => JSON.stringify(Properties['ResourceArn']));
    expect(arns.filter(arn => arn.includes('BusApi') && arn.includes('/stages/'))).toHaveLength(1);
    expect(arns.filter(arn => arn.includes('PortalApi') && arn.includes('/stages/'))).toHaveLength(1);
    expect(associations).toHaveLength(2);
  });

  it('distinguishes Basic clients by the Authorization header, only on the token route', () => {
    const rate = ruleNamed('bus', 'token-per-basic-client').Statement['RateBasedStatement'];
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
    expect(path.RegexMatchStatement.TextTransformations.map(({ Type }: { Type: string }) => Type)).toEqual([
      'URL_DECODE',
      'NORMALIZE_PATH',
    ]);
  });

  it.each([
    ['bus', { accepted: false, violations: [{ source: 'policy', rule: 'rate.limited' }] }],
    ['portal', { code: 'rate.limited' }],
  ])('%s: every rate rule answers with the rule catalogue’s body and Retry-After', (api, body) => {
    const limited = rulesOf(api).filter(({ Statement }) => 'RateBasedStatement' in Statement);
    expect(limited.map(({ Name }) => Name)).toEqual(
      api === 'bus'
        ? [
            'token-per-basic-client',
            'token-per-address',
            'any-route-per-address',
            'signed-routes-together',
            'whole-api-together',
          ]
        : ['sign-in-per-address', 'any-route-per-address'],
    );
    for (const { Action, Statement } of limited) {
      expect(Action?.Block?.CustomResponse).toMatchObject({
        ResponseCode: 429,
        CustomResponseBodyKey: 'rate-limited',
        ResponseHeaders: expect.arrayContaining([
          { Name: 'Retry-After', Value: String(Statement['RateBasedStatement'].EvaluationWindowSec) },
        ]),
      });
    }
    expect(JSON.parse(acl(api)['CustomResponseBodies']['rate-limited'].Content)).toMatchObject(body);
  });

  it.each(['bus', 'portal'])('%s: rules of AWS that judge bodies only count', api => {
    const overrides = rulesOf(api).flatMap(
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
    const { AndStatement } = ruleNamed('bus', 'attack-in-other-bodies').Statement;
    const [path, labels] = AndStatement.Statements;
    for (const other of [
      'oauth/token',
      'tenants/t1/principals/verify',
      'tenants/t1/consumers/c1/ack',
      'tenants/t1/consumers/c1/nack',
    ]) {
      expect(`/v1/${other}`).toMatch(pathPattern(path));
    }
    for (const content of [
      'messages',
      'jwt/messages',
      'tenants/t1/messages',
      'tenants/t1/validate',
      'tenants/t1/iam/messages',
      'tenants/t1/iam/validate',
    ]) {
      expect(`/v1/${content}`).not.toMatch(pathPattern(path));
    }
    expect(labels.OrStatement.Statements).toHaveLength(7);
    expect(rulesOf('portal').map(({ Name }) => Name)).not.toContain('attack-in-other-bodies');
  });

  it('reads no body by itself, and where AWS’s rules do they go on with what they saw', () => {
    const text = JSON.stringify(stack.ofType('AWS::WAFv2::WebACL'));
    expect(text).not.toMatch(/"(Body|JsonBody)":/);
    for (const [, handling] of text.matchAll(/"OversizeHandling":"(\w+)"/g))
      expect(handling).toBe('CONTINUE');
  });

  it.each(['bus', 'portal'])('%s: no secret reaches a log, a sample or a rate rule’s details', api => {
    const { DataProtections } = acl(api)['DataProtectionConfig'];
    expect(DataProtections.map(({ Field }: { Field: object }) => Field)).toEqual([
      { FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization', 'x-amz-security-token'] },
      { FieldType: 'QUERY_STRING' },
      { FieldType: 'BODY' },
    ]);
    for (const { Action, ExcludeRateBasedDetails } of DataProtections) {
      expect([Action, ExcludeRateBasedDetails]).toEqual(['SUBSTITUTION', false]);
    }
    const logging = stack.one('AWS::WAFv2::LoggingConfiguration', ({ ResourceArn }) =>
      JSON.stringify(ResourceArn).includes(`Firewall${api}`),
    );
    expect(logging.Properties['RedactedFields']).toEqual([
      { SingleHeader: { Name: 'authorization' } },
      { SingleHeader: { Name: 'x-amz-security-token' } },
      { QueryString: {} },
    ]);
    const destination = JSON.stringify(logging.Properties['LogDestinationConfigs']);
    expect(destination).toContain(':log-group:');
  });

  it('logs to groups that AWS WAF may write to', () => {
    const names = stack.ofType('AWS::Logs::LogGroup').map(({ Properties }) => Properties['LogGroupName']);
    expect(names.filter(name => name.startsWith('aws-waf-logs-'))).toEqual([
      'aws-waf-logs-sombus-sandbox-bus',
      'aws-waf-logs-sombus-sandbox-portal',
    ]);
  });
});
