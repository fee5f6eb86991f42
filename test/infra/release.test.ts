import { functionIds, probedIds, releasedIds } from '../../lib/contract/functions.ts';
import { rareMetrics } from '../../lib/contract/metrics.ts';
import { decide } from '../../lib/local/engines/iam.ts';
import { place } from '../../scripts/permissions/deployment.ts';
import {
  defaultDeployment,
  defaultStacks,
  type Resource,
  running,
  stackNamed,
} from './support/stacks.ts';

const stack = running(defaultStacks());
const byId = new Map(stack.resources.map(one => [one.id, one]));

const groupsOf = (api: string) =>
  stackNamed(defaultStacks(), `sombus-sandbox-${api}`).ofType('AWS::CodeDeploy::DeploymentGroup');

describe('a release', () => {
  it('goes step by step for all that the API calls, and at once for the portal itself', () => {
    const others = functionIds.filter(id => !releasedIds.includes(id));
    expect(others.toSorted()).toEqual(['limited-requests', 'portal-call', 'portal-pages']);
  });

  it.each(releasedIds)(
    '%s: requests reach a version through an alias that CodeDeploy moves',
    name => {
      const own = stack.one(
        'AWS::Lambda::Function',
        one => one.FunctionName === `sombus-sandbox-${name}`,
      );
      const alias = stack.one(
        'AWS::Lambda::Alias',
        ({ FunctionName }) => FunctionName.Ref === own.id,
      );
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
    },
  );

  it.each(['bus', 'portal'] as const)(
    'of the %s goes back when its own versions log an error in any minute, whatever the other does',
    api => {
      const watched = groupsOf(api).flatMap(
        ({ Properties }) => Properties['AlarmConfiguration'].Alarms,
      );
      const names = new Set(watched.map(({ Name }: { Name: { Ref: string } }) => Name.Ref));
      const [alarm = '', ...more] = names;
      expect(more).toEqual([]);
      expect(byId.get(alarm)?.Properties).toMatchObject({
        Namespace: 'som-bus/sandbox',
        MetricName: rareMetrics[`${api}ReleaseErrors`],
        Threshold: 1,
        Period: 60,
        EvaluationPeriods: 1,
        TreatMissingData: 'notBreaching',
      });
    },
  );

  /** The pattern with a number in the place of each version. */
  const patternOf = ({ Properties }: Resource): string =>
    [Properties['FilterPattern']['Fn::Join']?.[1] ?? Properties['FilterPattern']]
      .flat()
      .map(part => (typeof part === 'string' ? part : '12345'))
      .join('');

  it.each(['bus', 'portal'] as const)('of the %s counts the lines of its versions alone', api => {
    const own = stackNamed(defaultStacks(), `sombus-sandbox-${api}`);
    const [errors = '', ...others] = own
      .ofType('AWS::Logs::MetricFilter')
      .filter(
        ({ Properties }) =>
          Properties['MetricTransformations'][0].MetricName === rareMetrics[`${api}ReleaseErrors`],
      )
      .map(patternOf);
    expect(errors).toContain('$.level = "ERROR"');
    const named = [...errors.matchAll(/\$\.version = "([\w-]+):12345"/g)].map(([, name]) => name);
    expect(named).toHaveLength(own.ofType('AWS::Lambda::Alias').length);
    // CloudWatch Logs: "CloudWatch Logs quotas".
    expect(errors.length).toBeLessThanOrEqual(1_024);
    // Not what the authoriser throws for each unknown caller: anybody could stop a release.
    expect(others).toEqual([
      '?"Task timed out" ?"Runtime exited" ?"Uncaught Exception"',
      '"Invoke Error" -"Unauthorized"',
    ]);
    // The filter counts the new versions before a request reaches them.
    for (const { DependsOn } of own.ofType('AWS::Lambda::Alias'))
      expect(
        DependsOn?.filter(id => byId.get(id)?.Type === 'AWS::Logs::MetricFilter'),
      ).toHaveLength(3);
  });

  it.each(['bus', 'portal'])(
    'of the %s is noted with its versions once all aliases have moved',
    api => {
      const own = stackNamed(defaultStacks(), `sombus-sandbox-${api}`);
      const note = own.one(
        'AWS::SSM::Parameter',
        ({ Name }) => Name === `/sombus/sandbox/released/${api}`,
      );
      const aliases = own.ofType('AWS::Lambda::Alias');
      expect(note.DependsOn).toEqual(expect.arrayContaining(aliases.map(({ id }) => id)));
      const value = JSON.stringify(note.Properties['Value']);
      for (const { Properties } of aliases)
        expect(value).toContain(JSON.stringify(Properties['FunctionVersion']));
    },
  );

  it.each(releasedIds)(
    '%s, if the probe calls it, gets requests after the probe went through its new code',
    name => {
      const own = stack.one(
        'AWS::Lambda::Function',
        one => one.FunctionName === `sombus-sandbox-${name}`,
      );
      const alias = stack.one(
        'AWS::Lambda::Alias',
        ({ FunctionName }) => FunctionName.Ref === own.id,
      );
      const { BeforeAllowTrafficHook } = alias.UpdatePolicy?.CodeDeployLambdaAliasUpdate ?? {};
      const probed: readonly string[] = probedIds;
      expect(
        JSON.stringify(BeforeAllowTrafficHook ?? '').includes(':function:sombus-sandbox-probe'),
      ).toBe(probed.includes(name));
    },
  );

  it('keeps its versions for a rollback, but for one that went back: Lambda publishes no code twice', () => {
    const versions = stack.ofType('AWS::Lambda::Version');
    expect(versions.length).toBeGreaterThan(20);
    for (const one of versions)
      expect(one).toMatchObject({
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
      });
  });

  it.each(['bus', 'portal'])(
    'of the %s: CodeDeploy may move its aliases and read its alarm, and nothing else',
    api => {
      const [role] = groupsOf(api).map(
        ({ Properties }) => Properties['ServiceRoleArn']['Fn::GetAtt'][0],
      );
      const { arn } = defaultDeployment().resources.find(({ id }) => id === role) ?? { arn: '' };
      const identity = defaultDeployment().roles.find(one => one.arn === arn)?.statements ?? [];
      const may = (action: string, resource: string) =>
        decide(
          { caller: { role: arn, account: place.account }, action, resource, context: {} },
          { identity },
        );
      const regional = (service: string, rest: string) =>
        `arn:aws:${service}:${place.region}:${place.account}:${rest}`;
      const ids = stackNamed(defaultStacks(), `sombus-sandbox-${api}`).ofType(
        'AWS::Lambda::Alias',
      ).length;
      const own = releasedIds.filter(
        id =>
          may('lambda:UpdateAlias', regional('lambda', `function:sombus-sandbox-${id}`)) ===
          'allowed',
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
      expect(identity.find(({ Action }) => Action === 'cloudwatch:DescribeAlarms')?.Resource).toBe(
        '*',
      );
      expect(
        may('lambda:InvokeFunction', regional('lambda', 'function:sombus-sandbox-probe')),
      ).toBe('allowed');
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
