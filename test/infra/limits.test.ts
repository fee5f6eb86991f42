import { type Bucket, throttles, tiers } from '../../lib/contract/limits.ts';
import { routes } from '../../lib/contract/routes.ts';
import { defaultStacks, running, type SynthesisedStack } from './support/stacks.ts';

const throttled = Object.entries(routes)
  .map(([id, { method, path, throttle }]) => ({ id, method, path, throttle }))
  .filter(({ throttle }) => throttle !== 'wholeApi' && throttle !== 'portal');
const rates = ({ perSecond, burst }: Bucket) => [perSecond, burst];

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

const plan = (stack: SynthesisedStack, tier: string) => {
  const { Throttle, Quota } = stack.one('AWS::ApiGateway::UsagePlan', ({ UsagePlanName }) =>
    UsagePlanName.endsWith(`-${tier}`),
  ).Properties;
  return [Throttle.RateLimit, Throttle.BurstLimit, Quota.Limit, Quota.Period];
};

describe.each([sandbox, preview])('$name keeps the limits of the service', stack => {
  it.each(throttled)('$id has the throttle of its row', ({ method: verb, path, throttle }) => {
    const [stageName, resource] = path.startsWith('/v1/') ? ['v1', path.slice('/v1'.length)] : ['app', path];
    expect(method(stack, stageName, [verb, resource])).toEqual(rates(throttles[throttle]));
  });

  it.each([
    ['bus', 'v1', throttles.wholeApi],
    ['portal', 'app', throttles.wholeApi],
  ] as const)('any other route of the %s has the throttle of its API', (_api, stageName, throttle) => {
    expect(method(stack, stageName, ['*', '*'])).toEqual(rates(throttle));
  });

  it.each(Object.entries(tiers))('the usage plan of the tier %s has its quota', (tier, quota) => {
    expect(plan(stack, tier)).toEqual([...rates(quota), quota.perDay, 'DAY']);
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

  it('permission and revocation propagation, about 30 seconds: the authoriser’s response is kept for 10', () => {
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
