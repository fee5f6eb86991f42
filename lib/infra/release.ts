import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import type { PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import { Alias, type CfnAlias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type IFilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import { type FunctionId, liveAlias, probedIds, probeFunction } from '../contract/functions.ts';
import { metricNamespace, rareMetrics } from '../contract/metrics.ts';
import type { Api } from '../contract/route.ts';
import { acceptFinding, functionVersions } from './accept-finding.ts';
import { type FunctionLog, ServiceFunction } from './service-function.ts';
import { serviceRole } from './service-role.ts';

const minute = Duration.minutes(1);

/**
 * What CodeDeploy needs to move aliases and to watch an alarm (as
 * `AWSCodeDeployRoleForLambdaLimited`, for these alone).
 */
const deploying = (
  stack: Stack,
  { environment, functions }: ReleaseProps,
): readonly PolicyStatementProps[] => {
  const functionArn = (resourceName: string) =>
    stack.formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  const own = `sombus-${environment}-`;
  const aliased = [...functions.keys()].map(id => functionArn(own + id));
  return [
    { actions: ['lambda:GetAlias', 'lambda:UpdateAlias'], resources: aliased },
    // Lambda asks about an alias or a version (Service Authorization Reference); CloudWatch wants
    // "permission scoped to *" (API reference, DescribeAlarms), as AWS's own policy gives it.
    { actions: ['lambda:GetProvisionedConcurrencyConfig'], resources: [functionArn(`${own}*:*`)] },
    { actions: ['lambda:InvokeFunction'], resources: [functionArn(own + probeFunction.id)] },
    { actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] },
  ];
};

interface ReleaseProps {
  readonly environment: EnvironmentName;
  readonly api: Api;
  readonly functions: ReadonlyMap<FunctionId, ServiceFunction>;
  readonly log: FunctionLog;
  /** Aliases move to new code by themselves: nothing is looked at. */
  readonly atOnce: boolean;
}

/**
 * What Lambda itself writes of a run that ended without a response (Lambda: "Troubleshoot
 * invocation issues").
 */
const crashes = ['Task timed out', 'Runtime exited', 'Uncaught Exception'];

/**
 * Counts what the versions of this release do wrong. A caller's own mistake is no error of theirs,
 * nor is a version that is leaving.
 */
const countErrors = (
  scope: Construct,
  props: ReleaseProps,
  versions: ReadonlyMap<string, IVersion>,
) => {
  const count = (id: string, filterPattern: IFilterPattern) =>
    new MetricFilter(scope, id, {
      logGroup: props.log,
      filterPattern,
      metricNamespace: metricNamespace(props.environment),
      metricName: rareMetrics[`${props.api}ReleaseErrors`],
      metricValue: '1',
    });
  const released = [...versions].map(([id, { version }]) =>
    FilterPattern.stringValue('$.version', '=', `${id}:${version}`),
  );
  const logged = FilterPattern.all(
    FilterPattern.stringValue('$.level', '=', 'ERROR'),
    FilterPattern.any(...released),
  );
  // The authoriser tells API Gateway by such an error that it knows no caller; any other is its
  // own.
  const thrown = FilterPattern.literal('"Invoke Error" -"Unauthorized"');
  return [
    count('Errors', logged),
    count('Crashes', FilterPattern.anyTerm(...crashes)),
    count('Thrown', thrown),
  ];
};

/**
 * Releases new code of functions step by step: a tenth of the requests for five minutes, then all
 * of them. If the new versions log an error in one of these minutes, every function goes back to
 * its previous version by itself. All start at the same time, and all watch the one alarm of their
 * API: a release of one stack is good as a whole or not at all. Versions are kept; a parameter says
 * which ones a release is made of, and Systems Manager remembers its values: `sombus aws rollback`.
 */
export class Release extends Construct {
  readonly #aliases: ReadonlyMap<FunctionId, Alias>;

  constructor(scope: Construct, id: string, props: ReleaseProps) {
    super(scope, id);
    const { environment, api, functions } = props;
    const versions = new Map(
      [...functions].map(([name, target]) => [name, target.currentVersion as IVersion]),
    );
    const counted = countErrors(this, props, versions);
    const metric = counted[0]?.metric({ statistic: Stats.SUM, period: minute });
    const alarm = new Alarm(this, 'Alarm', {
      alarmName: `${resourceNames(environment).api(api)}-release`,
      alarmDescription:
        `The newest code of the ${api} logs errors: ` +
        'a release of it in progress is rolled back.',
      metric: metric as Metric,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    const groupOf = this.groups(props, alarm);
    const aliasOf = (name: FunctionId, version: IVersion): Alias => {
      const alias = new Alias(this, `Alias-${name}`, { aliasName: liveAlias, version });
      // Otherwise CloudFormation may shift the alias under the alarms that its group had before.
      alias.node.addDependency(groupOf(alias, name), ...counted);
      // CodeDeploy would refuse to move aliases that `sombus aws rollback` has moved.
      if (props.atOnce) delete (alias.node.defaultChild as CfnAlias).cfnOptions.updatePolicy;
      return alias;
    };
    this.#aliases = new Map([...versions].map(([name, version]) => [name, aliasOf(name, version)]));
    this.note(props, versions);
  }

  /** The alias of a function that requests go to. */
  of(name: FunctionId): IFunction | undefined {
    // The CDK says `undefined` where its own interfaces leave a member out.
    return this.#aliases.get(name) as IFunction | undefined;
  }

  private groups(
    props: ReleaseProps,
    alarm: Alarm,
  ): (alias: Alias, name: string) => LambdaDeploymentGroup {
    const { environment, api } = props;
    const applicationName = resourceNames(environment).api(api);
    const application = new LambdaApplication(this, 'Application', { applicationName });
    const allowed = deploying(Stack.of(this), props);
    const role = serviceRole(this, 'Role', {
      service: 'codedeploy',
      policyName: 'release',
      allowed,
    });
    acceptFinding(role, 'IAM5[Resource::*]', functionVersions);
    const probe = ServiceFunction.fromFunctionName(
      this,
      'Probe',
      `sombus-${environment}-${probeFunction.id}`,
    );
    const probed: readonly string[] = probedIds;
    return (alias, name) =>
      new LambdaDeploymentGroup(this, `Group-${name}`, {
        application,
        alias,
        // CDK would add a managed policy for all functions of the account.
        role: role.withoutPolicyUpdates(),
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [alarm],
        ...(probed.includes(name) && { preHook: probe }),
      });
  }

  /** Written when all aliases have moved: a release that goes back is none. */
  private note({ environment, api }: ReleaseProps, versions: ReadonlyMap<string, IVersion>): void {
    const numbers = Object.fromEntries([...versions].map(([name, { version }]) => [name, version]));
    const parameter = new StringParameter(this, 'Released', {
      parameterName: resourceNames(environment).releasedParameter(api),
      stringValue: Stack.of(this).toJsonString(numbers),
    });
    parameter.node.addDependency(...this.#aliases.values());
  }
}
