import { servedBy } from '../../lib/contract/functions.ts';
import { type RouteId, routes } from '../../lib/contract/routes.ts';
import { ownDomains } from './support/settings.ts';
import { defaultStacks, stackNamed } from './support/stacks.ts';
import { infraApp, stacksOf } from './support/synthesise.ts';

const stacks = defaultStacks();
const bus = stackNamed(stacks, 'sombus-sandbox-bus');
const portal = stackNamed(stacks, 'sombus-sandbox-portal');

const namesIn = ({ ofType }: typeof bus) =>
  ofType('AWS::Lambda::Function').map(({ Properties }) => String(Properties['FunctionName']));

/** CloudFormation: "Understand CloudFormation quotas". */
const resourcesOfAStack = 500;

describe('the portal is deployed and rolled back by itself', () => {
  it('its stack has the functions of all its addresses, and the stack of the bus has none of them', () => {
    const own = Object.entries(routes)
      .filter(([, { api }]) => api === 'portal')
      .map(([id]) => `sombus-sandbox-${servedBy(id as RouteId)}`);
    expect(namesIn(portal).sort()).toEqual(
      [...new Set(own), 'sombus-sandbox-limited-requests'].sort(),
    );
    expect(namesIn(bus).filter(name => namesIn(portal).includes(name))).toEqual([]);
  });

  it('its API, sign-in and alarms are in its stack', () => {
    const names = (type: string, member: string) =>
      portal.ofType(type).map(({ Properties }) => Properties[member]);
    expect(names('AWS::ApiGateway::RestApi', 'Name')).toEqual(['sombus-sandbox-portal']);
    expect(names('AWS::Cognito::UserPoolClient', 'ClientName')).toEqual(['sombus-sandbox-portal']);
    expect(names('AWS::CloudWatch::Alarm', 'AlarmName').sort()).toEqual([
      'sombus-sandbox-portal-5xx',
      'sombus-sandbox-portal-release',
    ]);
  });

  it('it counts the lines of the bus’s access log that tell of a 429, and that log alone may have them counted', () => {
    const stage = bus.one('AWS::ApiGateway::Stage', () => true).Properties;
    const log = bus.one(
      'AWS::Logs::LogGroup',
      ({ LogGroupName }) => LogGroupName === '/sombus/sandbox/access/bus',
    );
    expect(JSON.stringify(stage['AccessLogSetting'].DestinationArn)).toContain(log.id);
    // What the filter and the function read of a line (API Gateway: "Variables for access
    // logging").
    expect(JSON.parse(stage['AccessLogSetting'].Format)).toMatchObject({
      refusedBy: '$context.error.responseType',
      connection: '$context.authorizer.principalId',
      workspace: '$context.authorizer.workspace',
    });
    const filter = portal.one('AWS::Logs::SubscriptionFilter', () => true).Properties;
    expect(filter['LogGroupName']).toBe('/sombus/sandbox/access/bus');
    expect(filter['FilterPattern']).toBe(
      '{ ($.refusedBy = "THROTTLED") || ($.refusedBy = "QUOTA_EXCEEDED") }',
    );
    const counter = portal.one(
      'AWS::Lambda::Function',
      ({ FunctionName }) => FunctionName === 'sombus-sandbox-limited-requests',
    );
    expect(filter['DestinationArn']).toEqual({ 'Fn::GetAtt': [counter.id, 'Arn'] });
    const permission = portal.one('AWS::Lambda::Permission', ({ FunctionName }) =>
      JSON.stringify(FunctionName).includes(counter.id),
    ).Properties;
    expect(permission).toMatchObject({
      Action: 'lambda:InvokeFunction',
      Principal: 'logs.amazonaws.com',
    });
    expect(JSON.stringify(permission['SourceArn'])).toContain(
      ':log-group:/sombus/sandbox/access/bus:*',
    );
  });

  it('the bus takes nothing from it', () => {
    const taken = [...JSON.stringify(bus.resources).matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(
      ([, name]) => name,
    );
    expect(taken.filter(name => name?.startsWith('sombus-sandbox-portal'))).toEqual([]);
    // The probe opens the portal.
    expect(Object.values(portal.exports)).toEqual([{ Ref: expect.stringMatching(/^PortalApi/) }]);
  });

  it('it takes little from the others, and nothing that a release changes', () => {
    const taken = [
      ...JSON.stringify(portal.resources).matchAll(/"Fn::ImportValue":"([^"]+)"/g),
    ].map(([, name = '']) => {
      const exported = [...stacks.values()].find(({ exports }) => name in exports)?.exports[name];
      const [[, about] = ['', '']] = Object.entries(exported ?? {});
      const id = Array.isArray(about) ? about[0] : about;
      return [...stacks.values()].flatMap(({ resources }) => resources).find(one => one.id === id)
        ?.Type;
    });
    expect([...new Set(taken)].sort()).toEqual([
      'AWS::ApiGateway::RestApi',
      'AWS::Cognito::UserPool',
      'AWS::SNS::Topic',
      'AWS::WAFv2::WebACL',
    ]);
  });

  it('a domain can be added later: what the portal imports until it is deployed stays exported', () => {
    const later = stackNamed(
      stacksOf(infraApp({ sandbox: ownDomains }, ['sandbox'])),
      'sombus-sandbox-bus',
    );
    const taken = [
      ...JSON.stringify(portal.resources).matchAll(
        /"Fn::ImportValue":"(sombus-sandbox-bus:[^"]+)"/g,
      ),
    ];
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.map(([, name = '']) => name).filter(name => !(name in later.exports))).toEqual([]);
  });

  it.each([...stacks.keys()])('%s has room for what is still to come', name => {
    // A function with its role, log, alias and methods takes about ten resources.
    expect(stackNamed(stacks, name).resources.length).toBeLessThan(resourcesOfAStack - 100);
  });
});
