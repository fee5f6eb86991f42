import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type CfnDeploymentGroup,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import { type FunctionId, liveAlias } from '../contract/functions.ts';
import type { Api } from '../contract/route.ts';
import { acceptFinding } from './accept-finding.ts';
import { apiMetric } from './route-api.ts';
import type { ServiceFunction } from './service-function.ts';

const minute = Duration.minutes(1);

/** What CodeDeploy needs to move aliases and to watch an alarm (as `AWSCodeDeployRoleForLambdaLimited`, for these alone). */
const deployerPolicy = (stack: Stack, { environment, ids }: ReleaseProps): PolicyDocument => {
  const arnOf = (service: string, resource: string, resourceName: string) =>
    stack.formatArn({ service, resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  const own = `sombus-${environment}-`;
  return new PolicyDocument({
    statements: [
      new PolicyStatement({
        actions: ['lambda:GetAlias', 'lambda:UpdateAlias'],
        resources: ids.map(id => arnOf('lambda', 'function', own + id)),
      }),
      // Lambda asks about an alias or a version (Service Authorization Reference); CloudWatch wants "permission scoped to *" (API
      // reference, DescribeAlarms), as AWS's own policy gives it.
      new PolicyStatement({
        actions: ['lambda:GetProvisionedConcurrencyConfig'],
        resources: [arnOf('lambda', 'function', `${own}*:*`)],
      }),
      new PolicyStatement({
        actions: ['cloudwatch:DescribeAlarms'],
        resources: ['*'],
      }),
    ],
  });
};

export interface ReleaseProps {
  readonly environment: EnvironmentName;
  readonly api: Api;
  /** The functions that are released. */
  readonly ids: readonly FunctionId[];
  /** New code gets all requests at once, whatever alarms say. */
  readonly atOnce: boolean;
}

/**
 * Releases new code of functions step by step: a tenth of the requests for five minutes, then all of them. If their API
 * responds with a 5xx in one of these minutes, every function goes back to its previous version by itself.
 * All start at the same time, and all watch the one alarm of their API: a release of one stack is good as a whole or not at all.
 */
export class Release extends Construct {
  readonly #group: (alias: Alias, name: string) => LambdaDeploymentGroup;

  constructor(scope: Construct, id: string, props: ReleaseProps) {
    super(scope, id);
    const { environment, api, atOnce } = props;
    const applicationName = resourceNames(environment).api(api);
    const alarmName = `${applicationName}-release`;
    const application = new LambdaApplication(this, 'Application', { applicationName });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      inlinePolicies: { release: deployerPolicy(Stack.of(this), props) },
    });
    acceptFinding(
      role,
      'IAM5[Resource::*]',
      `IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:sombus-${environment}-*:*]`,
    );
    const alarm = new Alarm(this, 'Alarm', {
      alarmName,
      alarmDescription: `The ${api} returns 5xx errors: a release of it in progress is rolled back.`,
      metric: apiMetric(environment, api, '5XXError').with({ period: minute }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    const shift = atOnce
      ? { deploymentConfig: LambdaDeploymentConfig.ALL_AT_ONCE }
      : { deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES, alarms: [alarm] };
    this.#group = (alias, name) => {
      const group = new LambdaDeploymentGroup(this, `Group-${name}`, {
        application,
        alias,
        // CDK would add a managed policy for all functions of the account.
        role: role.withoutPolicyUpdates(),
        autoRollback: { failedDeployment: true, stoppedDeployment: !atOnce, deploymentInAlarm: !atOnce },
        ...shift,
      });
      // A group keeps its alarms if its template says nothing of them.
      if (atOnce)
        (group.node.defaultChild as CfnDeploymentGroup).alarmConfiguration = { enabled: false, alarms: [] };
      return group;
    };
  }

  /** The alias of a function that requests go to. */
  of(target: ServiceFunction, name: string): IFunction {
    // The CDK says `undefined` where its own interfaces leave a member out.
    const version = target.currentVersion as IVersion;
    const alias = new Alias(this, `Alias-${name}`, { aliasName: liveAlias, version });
    // Otherwise CloudFormation may shift the alias under the alarms that its group had before.
    alias.node.addDependency(this.#group(alias, name));
    return alias as IFunction;
  }
}
