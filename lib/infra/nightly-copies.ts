import { Duration, Stack } from 'aws-cdk-lib';
import {
  BackupPlan,
  BackupPlanRule,
  BackupResource,
  BackupVault,
  type IBackupVault,
} from 'aws-cdk-lib/aws-backup';
import { type IAlarm, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { copyAlarms } from '../contract/alarms.ts';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import { OperatorAlarm } from './operator-mail.ts';
import { serviceRole } from './service-role.ts';

/** How long a copy is kept, as long as the tables' own recovery goes back. */
const copyDays = 35;

interface NightlyCopiesProps {
  readonly environment: EnvironmentName;
  readonly tableNames: readonly string[];
  /** Where the copies go: the ARN of a vault in another region. */
  readonly vaultArn: string;
  readonly topic: ITopic;
}

/**
 * Copies the tables to a vault in another region every night: point-in-time recovery ends with the
 * region.
 */
export class NightlyCopies extends Construct {
  readonly alarms: readonly IAlarm[];
  readonly #environment: EnvironmentName;

  constructor(scope: Construct, id: string, props: NightlyCopiesProps) {
    super(scope, id);
    const { environment, tableNames, vaultArn, topic } = props;
    this.#environment = environment;
    const { stack: name } = resourceNames(environment);
    const own = new BackupVault(this, 'Vault', { backupVaultName: name });
    const elsewhere = BackupVault.fromBackupVaultArn(this, 'Elsewhere', vaultArn);
    this.addPlan(tableNames, own, elsewhere);
    const vaults = [own.backupVaultName, elsewhere.backupVaultName];
    this.alarms = this.addAlarms(tableNames.length, [...new Set(vaults)], topic);
  }

  private addPlan(tableNames: readonly string[], own: IBackupVault, elsewhere: IBackupVault): void {
    const arns = tableNames.map(resourceName =>
      Stack.of(this).formatArn({ service: 'dynamodb', resource: 'table', resourceName }),
    );
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: resourceNames(this.#environment).stack,
      // Without it, the plan makes a vault of its own.
      backupVault: own,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'nightly',
          scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
          // Here it is only what is copied: the tables recover by themselves.
          deleteAfter: Duration.days(1),
          copyActions: [
            { destinationBackupVault: elsewhere, deleteAfter: Duration.days(copyDays) },
          ],
        }),
      ],
    });
    const role = serviceRole(this, 'Role', {
      service: 'backup',
      policyName: 'backup',
      // As `AWSBackupServiceRolePolicyForBackup`, for these alone.
      allowed: [
        {
          actions: [
            'dynamodb:DescribeTable',
            'dynamodb:ListTagsOfResource',
            'dynamodb:StartAwsBackupJob',
          ],
          resources: arns,
        },
        {
          actions: ['CopyFromBackupVault', 'CopyIntoBackupVault', 'DescribeBackupVault'].map(
            action => `backup:${action}`,
          ),
          resources: [own.backupVaultArn, elsewhere.backupVaultArn],
        },
      ],
    });
    plan.addSelection('Tables', {
      role: role.withoutPolicyUpdates(),
      resources: arns.map(arn => BackupResource.fromArn(arn)),
      disableDefaultBackupPolicy: true,
    });
  }

  /**
   * What AWS Backup counts (its developer guide, "AWS Backup metrics with Amazon CloudWatch"). It
   * does not say which of two vaults a copy is counted under, so both are asked.
   */
  private addAlarms(
    tables: number,
    vaultNames: readonly string[],
    topic: ITopic,
  ): readonly IAlarm[] {
    const jobs = (metricName: string, vaults: readonly string[], seconds: number) =>
      vaults.map(
        BackupVaultName =>
          new Metric({
            namespace: 'AWS/Backup',
            metricName,
            dimensionsMap: { BackupVaultName },
            statistic: Stats.SUM,
            period: Duration.seconds(seconds),
          }),
      );
    const summed = (expression: string, metrics: readonly Metric[], seconds: number) =>
      new MathExpression({
        expression,
        usingMetrics: Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric])),
        label: 'jobs',
        period: Duration.seconds(seconds),
      });
    const [ownName = ''] = vaultNames;
    const hour = copyAlarms['failed-copies'].periodSeconds;
    const failed = [
      ...[
        'NumberOfBackupJobsFailed',
        'NumberOfBackupJobsAborted',
        'NumberOfBackupJobsExpired',
      ].flatMap(name => jobs(name, [ownName], hour)),
      ...jobs('NumberOfCopyJobsFailed', vaultNames, hour),
    ];
    const day = copyAlarms['missing-copies'].periodSeconds;
    const completed = jobs('NumberOfCopyJobsCompleted', vaultNames, day);
    const metrics = {
      'failed-copies': summed('SUM(METRICS())', failed, hour),
      'missing-copies': summed(`${tables} - SUM(METRICS())`, completed, day),
    };
    return (['failed-copies', 'missing-copies'] as const).map(
      id =>
        new OperatorAlarm(this, id, {
          ...copyAlarms[id],
          id,
          environment: this.#environment,
          section: 'copies',
          metric: metrics[id],
          topic,
        }),
    );
  }
}
