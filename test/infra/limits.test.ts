import { defaultStacks, running, type SynthesisedStack } from './support/stacks.ts';

const stacks = defaultStacks();
const sandbox = running(stacks);
const preview = running(stacks, 'preview');

const stage = (stack: SynthesisedStack, name: string) =>
  stack.one('AWS::ApiGateway::Stage', ({ StageName }) => StageName === name).Properties;

const method = (stack: SynthesisedStack, stageName: string, key: readonly [string, string]) => {
  const settings = stage(stack, stageName).MethodSettings.find(
    (entry: { ResourcePath: string; HttpMethod: string }) =>
      entry.HttpMethod === key[0] && entry.ResourcePath === `/${key[1].replaceAll('/', '~1')}`,
  );
  return [settings.ThrottlingRateLimit, settings.ThrottlingBurstLimit];
};

const firewallRule = (stack: SynthesisedStack, name: string) =>
  stack
    .one('AWS::WAFv2::WebACL', () => true)
    .Properties.Rules.find((rule: { Name: string }) => rule.Name === name);

const rate = (stack: SynthesisedStack, name: string) => {
  const { Limit, EvaluationWindowSec, AggregateKeyType } = firewallRule(stack, name).Statement
    .RateBasedStatement;
  return [Limit, EvaluationWindowSec, AggregateKeyType];
};

const answerOf = (stack: SynthesisedStack, name: string) => {
  const { Block } = firewallRule(stack, name).Action;
  const { ResponseCode, ResponseHeaders } = Block.CustomResponse;
  const retryAfter = ResponseHeaders.find(({ Name }: { Name: string }) => Name === 'Retry-After').Value;
  return [ResponseCode, retryAfter];
};

const plan = (stack: SynthesisedStack, tier: string) => {
  const { Throttle, Quota } = stack.one('AWS::ApiGateway::UsagePlan', ({ UsagePlanName }) =>
    UsagePlanName.endsWith(`-${tier}`),
  ).Properties;
  return [Throttle.RateLimit, Throttle.BurstLimit, Quota.Limit, Quota.Period];
};

describe.each([sandbox, preview])('$name keeps the limits of the service', stack => {
  it.each([
    [
      'token URL, per client using HTTP Basic: 30 in 5 minutes',
      'token-per-basic-client',
      [30, 300, 'CUSTOM_KEYS'],
    ],
    ['token URL, per source address: 100 in 5 minutes', 'token-per-address', [100, 300, 'IP']],
    ['signed routes, all signers together: 50 a second', 'signed-routes-together', [3000, 60, 'CONSTANT']],
    ['whole API: 200 a second', 'whole-api-together', [12_000, 60, 'CONSTANT']],
  ] as const)('%s', (_row, name, expected) => {
    expect(rate(stack, name)).toEqual(expected);
    expect(answerOf(stack, name)).toEqual([429, String(expected[1])]);
  });

  it('any route, per source address: 600 a minute, counted over both APIs', () => {
    expect(rate(stack, 'any-route-per-address')).toEqual([600, 60, 'IP']);
    for (const api of ['bus', 'portal'])
      expect(answerOf(stack, `any-route-per-address-${api}`)).toEqual([429, '60']);
  });

  it.each([
    ['token URL, all callers together: 20 a second, bursts of 40', 'v1', ['POST', '/oauth/token'], [20, 40]],
    ['signed publish: 50 a second, bursts of 100', 'v1', ['POST', '/tenants/{t}/iam/messages'], [50, 100]],
    ['signed validate: 50 a second, bursts of 100', 'v1', ['POST', '/tenants/{t}/iam/validate'], [50, 100]],
    [
      'signed principal check: 50 a second, bursts of 100',
      'v1',
      ['POST', '/tenants/{t}/principals/verify'],
      [50, 100],
    ],
    ['whole API, publish: 200 a second, bursts of 400', 'v1', ['POST', '/tenants/{t}/messages'], [200, 400]],
    ['whole API, anything else: 200 a second, bursts of 400', 'v1', ['*', '*'], [200, 400]],
    [
      'skill library, all callers together: 10 a second, bursts of 20',
      'app',
      ['GET', '/api/skills/library'],
      [10, 20],
    ],
    [
      'skill validate, all callers together: 5 a second, bursts of 10',
      'app',
      ['POST', '/api/skills/validate'],
      [5, 10],
    ],
  ] as const)('%s', (_row, stageName, key, expected) => {
    expect(method(stack, stageName, key)).toEqual(expected);
  });

  it.each([
    ['tier minimal: 10 a second, bursts of 20, 25,000 a day', 'minimal', [10, 20, 25_000, 'DAY']],
    ['tier standard: 20 a second, bursts of 40, 100,000 a day', 'standard', [20, 40, 100_000, 'DAY']],
    ['tier high: 100 a second, bursts of 200, 1,000,000 a day', 'high', [100, 200, 1_000_000, 'DAY']],
  ] as const)('%s', (_row, tier, expected) => {
    expect(plan(stack, tier)).toEqual(expected);
  });

  it('body size: no firewall rule refuses a body for its size', () => {
    const rules = stack.ofType('AWS::WAFv2::WebACL').flatMap(({ Properties }) => Properties.Rules);
    const bodies = JSON.stringify(rules).match(/"SizeConstraintStatement":\{[^}]*"Body"/);
    expect(bodies).toBeNull();
    const common = rules.filter(({ Name }: { Name: string }) => Name === 'AWSManagedRulesCommonRuleSet');
    expect(common).toHaveLength(1);
    for (const { Statement } of common) {
      expect(Statement.ManagedRuleGroupStatement.RuleActionOverrides).toContainEqual({
        Name: 'SizeRestrictions_BODY',
        ActionToUse: { Count: {} },
      });
    }
  });

  it('pull, long-poll wait up to 20 seconds: its function outlasts the wait and ends before API Gateway does', () => {
    const { Timeout } = stack.one('AWS::Lambda::Function', ({ FunctionName }) =>
      FunctionName.endsWith('-pull'),
    ).Properties;
    expect(Timeout).toBeGreaterThan(20);
    expect(Timeout).toBeLessThan(29);
  });

  it('permission and revocation propagation, about 30 seconds: the authoriser’s answer is kept for 10', () => {
    const [authoriser, ...more] = stack.ofType('AWS::ApiGateway::Authorizer');
    expect(more).toEqual([]);
    expect(authoriser?.Properties.AuthorizerResultTtlInSeconds).toBe(10);
  });

  it('replay archive: functions know which environment’s days to keep', () => {
    const name = stack === preview ? 'preview' : 'sandbox';
    const functions = stack
      .ofType('AWS::Lambda::Function')
      .filter(({ Properties }) => Properties.FunctionName);
    expect(functions.length).toBeGreaterThan(0);
    for (const { Properties } of functions) {
      expect(Properties.Environment.Variables.SOMBUS_ENVIRONMENT).toBe(name);
    }
  });
});
