import { copyAlarms } from '../../lib/contract/alarms.ts';
import { tableNames } from '../../lib/contract/tables.ts';
import { defaultStacks, type SynthesisedStack, stackNamed } from './support/stacks.ts';
import { infraApp, stacksOf } from './support/synthesise.ts';

const backupVault = 'arn:aws:backup:eu-central-1:444455556666:backup-vault:elsewhere';
const settings = { backupVault, restored: 'a' };
const watchIn = (stacks: ReadonlyMap<string, SynthesisedStack>) =>
  stackNamed(stacks, 'sombus-sandbox-watch');
const watch = watchIn(stacksOf(infraApp({ sandbox: settings }, ['sandbox'])));
const [plan] = watch.ofType('AWS::Backup::BackupPlan').map(({ Properties }) => Properties);
const [rule, ...otherRules] = plan?.['BackupPlan'].BackupPlanRule ?? [];

test('all four tables are copied elsewhere every night, the served ones after a restore', () => {
  expect(otherRules).toEqual([]);
  expect(rule.CopyActions).toEqual([
    { DestinationBackupVaultArn: backupVault, Lifecycle: { DeleteAfterDays: 35 } },
  ]);
  const { Resources } = watch.one('AWS::Backup::BackupSelection', () => true).Properties[
    'BackupSelection'
  ];
  const names = Resources.map((arn: unknown) => /table\/[\w-]+/.exec(JSON.stringify(arn))?.[0]);
  expect(names).toEqual(tableNames.map(name => `table/sombus-sandbox-${name}-a`));
});

test('without the setting there are none', () => {
  const types = watchIn(defaultStacks()).resources.map(({ Type }) => Type);
  expect(types.filter(type => type.startsWith('AWS::Backup'))).toEqual([]);
});

test('the copies come from the one vault that they are backed up to, which the role may use', () => {
  const vault = watch.one('AWS::Backup::BackupVault', () => true);
  expect(vault.Properties['BackupVaultName']).toBe('sombus-sandbox');
  expect(rule.TargetBackupVault).toEqual({ 'Fn::GetAtt': [vault.id, 'BackupVaultName'] });
  const role = watch.one('AWS::IAM::Role', one =>
    JSON.stringify(one.AssumeRolePolicyDocument).includes('backup.amazonaws.com'),
  );
  const [{ PolicyDocument }] = role.Properties['Policies'];
  const copying = PolicyDocument.Statement.find(({ Action }: { Action: readonly string[] }) =>
    Action.includes('backup:CopyFromBackupVault'),
  );
  const own = { 'Fn::GetAtt': [vault.id, 'BackupVaultArn'] };
  expect(copying.Resource).toHaveLength(2);
  expect(copying.Resource).toEqual(expect.arrayContaining([own, backupVault]));
});

interface AlarmMetric {
  readonly Expression?: string;
  readonly MetricStat?: {
    readonly Metric: {
      readonly Namespace: string;
      readonly MetricName: string;
      readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
    };
    readonly Period: number;
    readonly Stat: string;
  };
}

describe.each([
  [
    'failed-copies',
    'SUM(METRICS())',
    'notBreaching',
    [
      'NumberOfBackupJobsAborted',
      'NumberOfBackupJobsExpired',
      'NumberOfBackupJobsFailed',
      'NumberOfCopyJobsFailed',
      'NumberOfCopyJobsFailed',
    ],
  ],
  [
    'missing-copies',
    '4 - SUM(METRICS())',
    'breaching',
    ['NumberOfCopyJobsCompleted', 'NumberOfCopyJobsCompleted'],
  ],
] as const)('the alarm %s', (id, expression, missing, names) => {
  const alarm = watch.one(
    'AWS::CloudWatch::Alarm',
    ({ AlarmName }) => AlarmName === `sombus-sandbox-${id}`,
  ).Properties;
  const metrics = alarm['Metrics'] as readonly AlarmMetric[];

  test('adds up what AWS Backup counts of both vaults', () => {
    const stats = metrics.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat] : []));
    expect(stats.map(({ Metric }) => Metric.MetricName).sort()).toEqual(names);
    const places = stats.map(({ Metric: { Namespace, Dimensions }, Stat, Period }) => {
      const [{ Name, Value } = { Name: '', Value: '' }, ...more] = Dimensions;
      expect(more).toEqual([]);
      const vault = typeof Value === 'string' ? Value : 'own';
      return [Namespace, Name, vault, Stat, Period].join(' ');
    });
    const period = copyAlarms[id].periodSeconds;
    expect([...new Set(places)].sort()).toEqual(
      ['elsewhere', 'own'].map(vault => `AWS/Backup BackupVaultName ${vault} Sum ${period}`),
    );
    expect(metrics.flatMap(({ Expression }) => Expression ?? [])).toEqual([expression]);
  });

  test('rings, and says where to read on', () => {
    expect(alarm).toMatchObject({
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: missing,
      AlarmDescription: expect.stringContaining('docs/runbook.md, section "copies"'),
    });
    expect(alarm['AlarmActions']).toHaveLength(1);
    expect(alarm['OKActions']).toEqual(alarm['AlarmActions']);
  });
});

test('the dashboard shows both alarms', () => {
  const shown = JSON.stringify(watch.one('AWS::CloudWatch::Dashboard', () => true).Properties);
  const alarms = watch
    .ofType('AWS::CloudWatch::Alarm')
    .filter(({ Properties }) => /-copies$/.test(Properties['AlarmName']));
  expect(alarms).toHaveLength(2);
  for (const { id } of alarms) expect(shown).toContain(`["${id}","Arn"]`);
});
