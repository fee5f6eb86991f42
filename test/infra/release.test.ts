import { releasedIds } from '../../lib/contract/functions.ts';
import { defaultDeployment, defaultStacks, stackNamed } from './support/stacks.ts';

const stack = stackNamed(defaultStacks(), 'sombus-sandbox-stateless');
const groups = stack.ofType('AWS::CodeDeploy::DeploymentGroup');
const byId = new Map(stack.resources.map(one => [one.id, one]));

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
  });

  it('goes back when the bus answers a 5xx in any minute', () => {
    const watched = groups.flatMap(({ Properties }) => Properties['AlarmConfiguration'].Alarms);
    const names = new Set(watched.map(({ Name }: { Name: { Ref: string } }) => Name.Ref));
    const [alarm = '', ...more] = names;
    expect(more).toEqual([]);
    expect(byId.get(alarm)?.Properties).toMatchObject({
      MetricName: '5XXError',
      Dimensions: [
        { Name: 'ApiName', Value: 'sombus-sandbox-bus' },
        { Name: 'Stage', Value: 'v1' },
      ],
      Threshold: 1,
      Period: 60,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  it('CodeDeploy may move our aliases and read our alarms, and nothing else', () => {
    const [role] = groups.map(({ Properties }) => Properties['ServiceRoleArn']['Fn::GetAtt'][0]);
    const { arn } = defaultDeployment().resources.find(({ id }) => id === role) ?? { arn: '' };
    const statements = defaultDeployment().roles.find(one => one.arn === arn)?.statements ?? [];
    const [moves, reads, ...more] = statements;
    expect(more).toEqual([]);
    expect(moves?.Action).toEqual([
      'lambda:GetAlias',
      'lambda:GetProvisionedConcurrencyConfig',
      'lambda:UpdateAlias',
    ]);
    const functions = stack.ofType('AWS::Lambda::Alias').length;
    const arns = [moves?.Resource ?? []].flat();
    expect(arns.filter(one => /:function:sombus-sandbox-[\w-]+$/.test(one))).toHaveLength(functions);
    expect(arns).toHaveLength(functions);
    expect([reads?.Action, reads?.Resource]).toEqual([
      'cloudwatch:DescribeAlarms',
      expect.stringMatching(/:alarm:sombus-sandbox-release$/),
    ]);
  });

  it('no stack has more resources than CloudFormation takes (CloudFormation: "Quotas")', () => {
    for (const { resources } of defaultStacks().values()) expect(resources.length).toBeLessThan(500);
  });
});
