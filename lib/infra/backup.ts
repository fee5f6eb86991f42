import { Duration, Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';

/** How long a copy is kept, as long as the tables' own recovery goes back. */
const keptDays = 35;

/** What AWS Backup needs to back up these tables and to copy that elsewhere (as `AWSBackupServiceRolePolicyForBackup`, for these alone). */
const rightsOf = (tables: readonly string[], vaults: readonly string[]): PolicyDocument =>
  new PolicyDocument({
    statements: [
      new PolicyStatement({
        actions: ['dynamodb:DescribeTable', 'dynamodb:ListTagsOfResource', 'dynamodb:StartAwsBackupJob'],
        resources: [...tables],
      }),
      new PolicyStatement({
        actions: ['backup:CopyFromBackupVault', 'backup:CopyIntoBackupVault', 'backup:DescribeBackupVault'],
        resources: [...vaults],
      }),
    ],
  });

export interface TableBackupsProps {
  readonly environment: EnvironmentName;
  readonly tableNames: readonly string[];
  /** The ARN of the vault elsewhere. */
  readonly vault: string;
}

/** Copies the tables to another region every night: point-in-time recovery ends with the region. */
export class TableBackups extends Construct {
  constructor(scope: Construct, id: string, { environment, tableNames, vault }: TableBackupsProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const arns = tableNames.map(resourceName =>
      stack.formatArn({ service: 'dynamodb', resource: 'table', resourceName }),
    );
    const own = new BackupVault(this, 'Vault', { backupVaultName: resourceNames(environment).stack });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      inlinePolicies: { backup: rightsOf(arns, [own.backupVaultArn, vault]) },
    });
    const elsewhere = BackupVault.fromBackupVaultArn(this, 'Elsewhere', vault);
    const deleteAfter = Duration.days(keptDays);
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: resourceNames(environment).stack,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'nightly',
          scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
          // Here it is only what is copied: the tables recover by themselves.
          deleteAfter: Duration.days(1),
          copyActions: [{ destinationBackupVault: elsewhere, deleteAfter }],
        }),
      ],
    });
    plan.addSelection('Tables', {
      role: role.withoutPolicyUpdates(),
      resources: arns.map(arn => BackupResource.fromArn(arn)),
      disableDefaultBackupPolicy: true,
    });
  }
}
