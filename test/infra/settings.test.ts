import { App } from 'aws-cdk-lib';
import { settingsOf } from '../../lib/infra/settings.ts';
import { stackNamed } from './support/stacks.ts';
import { infraApp, stacksOf } from './support/synthesise.ts';

const complete = {
  account: '111122223333',
  region: 'eu-west-1',
  domain: 'bus.example.org',
  portalDomain: 'portal.example.org',
  hostedZoneId: 'Z0123456789EXAMPLE',
  hostedZoneName: 'example.org',
  alarmAddress: 'operator@example.org',
};

const originOf = (stack: ReturnType<typeof stackNamed>, name: string) =>
  stack.one('AWS::Lambda::Function', ({ FunctionName }) => FunctionName.endsWith(`-${name}`)).Properties[
    'Environment'
  ].Variables.SOMBUS_ORIGIN;

describe('an environment without settings', () => {
  const app = infraApp();
  const stack = stackNamed(stacksOf(app), 'sombus-sandbox-stateless');

  it('goes to the account and region of the deployer, at API Gateway’s own address', () => {
    expect(app.synth({ skipValidation: true }).stacks.map(({ environment }) => environment.name)).toEqual(
      Array.from({ length: 4 }, () => 'aws://unknown-account/unknown-region'),
    );
    const [, [scheme, api, host]] = originOf(stack, 'token')['Fn::Join'];
    expect(scheme).toBe('https://');
    expect(stack.resources.find(({ id }) => id === api.Ref)?.Properties['Name']).toBe('sombus-sandbox-bus');
    expect(host).toBe('.execute-api.');
    expect(stack.ofType('AWS::ApiGateway::DomainName')).toEqual([]);
    expect(stack.ofType('AWS::SNS::Subscription')).toEqual([]);
  });
});

describe('an environment with settings', () => {
  const app = infraApp({ sandbox: complete });
  const stacks = stacksOf(app);
  const stack = stackNamed(stacks, 'sombus-sandbox-stateless');

  it('goes to the account and region it names', () => {
    expect(app.synth({ skipValidation: true }).getStackByName(stack.name).environment).toMatchObject({
      account: '111122223333',
      region: 'eu-west-1',
    });
  });

  it('has only its custom domains, with TLS 1.2', () => {
    expect(originOf(stack, 'token')).toBe('https://bus.example.org');
    expect(originOf(stack, 'skill-library')).toBe('https://portal.example.org');
    const names = stack.ofType('AWS::ApiGateway::DomainName').map(({ Properties }) => Properties);
    expect(names.map(({ DomainName, SecurityPolicy }) => [DomainName, SecurityPolicy])).toEqual([
      ['bus.example.org', 'TLS_1_2'],
      ['portal.example.org', 'TLS_1_2'],
    ]);
    for (const { Properties } of stack.ofType('AWS::ApiGateway::RestApi')) {
      expect(Properties['DisableExecuteApiEndpoint']).toBe(true);
    }
  });

  it('maps the first segments of the route table to the stages', () => {
    const mappings = stack
      .ofType('AWS::ApiGateway::BasePathMapping')
      .map(({ Properties }) => Properties['BasePath']);
    expect(mappings.sort()).toEqual(['.well-known', 'api', 'docs', 'v1']);
  });

  it('mails alarms', () => {
    expect(stack.one('AWS::SNS::Subscription', () => true).Properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'operator@example.org',
    });
  });

  it('leaves the other environment alone', () => {
    expect(stackNamed(stacks, 'sombus-preview-stateless').ofType('AWS::ApiGateway::DomainName')).toEqual([]);
  });
});

describe('contradictory settings are refused with one sentence', () => {
  it.each([
    [{ zone: 'x' }, 'knows no "zone"'],
    [{ region: 7 }, '"sandbox.region" is not a string'],
    ['eu-west-1', 'context "sandbox" is not an object'],
  ])('%j', (sandbox, words) => {
    expect(() => infraApp({ sandbox })).toThrow(words);
  });
});

const settingsIn = (sandbox: unknown) => settingsOf(new App({ context: { sandbox } }).node, 'sandbox');

describe('partial settings', () => {
  const domainMembers = ['domain', 'portalDomain', 'hostedZoneId', 'hostedZoneName'] as const;
  const domainSettings = domainMembers.map(member => [member, complete[member]] as const);

  it.each(domainSettings)('%s alone is refused', (member, value) => {
    expect(() => settingsIn({ [member]: value })).toThrow(
      'cdk.json: "sandbox" needs domain, portalDomain, hostedZoneId and hostedZoneName together, or none of them.',
    );
  });

  it.each(domainMembers)('a domain without %s, absent or empty, is refused', member => {
    const { [member]: _left, ...others } = complete;
    expect(() => settingsIn(others)).toThrow('together, or none of them');
    expect(() => settingsIn({ ...complete, [member]: '' })).toThrow('together, or none of them');
  });

  it.each(['account', 'region', 'alarmAddress'] as const)('%s may be set alone', member => {
    const only = { [member]: complete[member] };
    expect(settingsIn(only)).toEqual({ environment: 'sandbox', ...only });
  });

  it('an empty string means "not set"', () => {
    const empty = Object.fromEntries(Object.keys(complete).map(member => [member, '']));
    expect(settingsIn(empty)).toEqual({ environment: 'sandbox' });
  });
});
