import { releasedIds } from '../../lib/contract/functions.ts';
import { decide } from '../../scripts/permissions/decide.ts';
import { place } from '../../scripts/permissions/deployment.ts';
import { defaultDeployment, defaultStacks, running, stackNamed } from './support/stacks.ts';

const stack = running(defaultStacks());
const byId = new Map(stack.resources.map(one => [one.id, one]));

const groupsOf = (api: string) =>
  stackNamed(defaultStacks(), `sombus-sandbox-${api}`).ofType('AWS::CodeDeploy::DeploymentGroup');

describe('a release', () => {
  it.each(releasedIds)('%s: requests reach a version through an alias that CodeDeploy moves', name => {
    const own = stack.one('AWS::Lambda::Function', one => one.FunctionName === `sombus-sandbox-${name}`);
    const alias = stack.one('AWS::Lambda::Alias', ({ FunctionName }) => FunctionName.Ref === own.id);
    const [version] = alias.Properties.FunctionVersion['Fn::GetAtt'];
    expect(byId.get(version)).toMatchObject({
      Type: 'AWS::Lambda::Version',
      Properties: { FunctionName: { Ref: own.id } },
    });
    const { DeploymentGroupName } = alias.UpdatePolicy?.CodeDeployLambdaAliasUpdate ?? {};
    const group = byId.get(DeploymentGroupName?.Ref ?? '');
    expect(group?.Properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']),
      },
      AlarmConfiguration: { Enabled: true },
    });
    // Or requests may go to the new code while the group still has the alarms of before.
    expect(alias.DependsOn).toContain(group?.id);
  });

  it.each([
    ['bus', 'v1'],
    ['portal', 'app'],
  ])('of the %s goes back when it answers a 5xx in any minute, whatever the other does', (api, stage) => {
    const watched = groupsOf(api).flatMap(({ Properties }) => Properties['AlarmConfiguration'].Alarms);
    const names = new Set(watched.map(({ Name }: { Name: { Ref: string } }) => Name.Ref));
    const [alarm = '', ...more] = names;
    expect(more).toEqual([]);
    expect(byId.get(alarm)?.Properties).toMatchObject({
      MetricName: '5XXError',
      Dimensions: [
        { Name: 'ApiName', Value: `sombus-sandbox-${api}` },
        { Name: 'Stage', Value: stage },
      ],
      Threshold: 1,
      Period: 60,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  it.each(['bus', 'portal'])(
    'of the %s: CodeDeploy may move its aliases and read its alarm, and nothing else',
    api => {
      const [role] = groupsOf(api).map(({ Properties }) => Properties['ServiceRoleArn']['Fn::GetAtt'][0]);
      const { arn } = defaultDeployment().resources.find(({ id }) => id === role) ?? { arn: '' };
      const identity = defaultDeployment().roles.find(one => one.arn === arn)?.statements ?? [];
      const may = (action: string, resource: string) =>
        decide(
          { caller: { role: arn, account: place.account }, action, resource, context: {} },
          { identity },
        );
      const regional = (service: string, rest: string) =>
        `arn:aws:${service}:${place.region}:${place.account}:${rest}`;
      const ids = stackNamed(defaultStacks(), `sombus-sandbox-${api}`).ofType('AWS::Lambda::Alias').length;
      const own = releasedIds.filter(
        id => may('lambda:UpdateAlias', regional('lambda', `function:sombus-sandbox-${id}`)) === 'allowed',
      );
      expect(own).toHaveLength(ids);
      // Lambda asks for the alias or the version (Service Authorization Reference).
      for (const id of own)
        for (const qualifier of ['live', '7'])
          expect(
            may(
              'lambda:GetProvisionedConcurrencyConfig',
              regional('lambda', `function:sombus-sandbox-${id}:${qualifier}`),
            ),
          ).toBe('allowed');
      // CloudWatch wants the permission "scoped to *" (API reference, DescribeAlarms).
      expect(identity.find(({ Action }) => Action === 'cloudwatch:DescribeAlarms')?.Resource).toBe('*');
      for (const [action, resource] of [
        ['lambda:UpdateAlias', regional('lambda', 'function:sombus-sandbox-relay')],
        ['lambda:UpdateAlias', regional('lambda', 'function:sombus-preview-publish')],
        ['lambda:GetProvisionedConcurrencyConfig', regional('lambda', 'function:shop:live')],
        ['lambda:UpdateFunctionCode', regional('lambda', 'function:sombus-sandbox-publish')],
        ['lambda:InvokeFunction', regional('lambda', 'function:sombus-sandbox-publish')],
        ['cloudwatch:DeleteAlarms', regional('cloudwatch', `alarm:sombus-sandbox-${api}-release`)],
      ] as const)
        expect([action, may(action, resource)]).toEqual([action, 'denied']);
    },
  );
});
