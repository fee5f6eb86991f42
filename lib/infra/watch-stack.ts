import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import { envVars, resourceNames } from '../contract/environments.ts';
import { probedIds, probeFunction } from '../contract/functions.ts';
import { acceptFinding } from './accept-finding.ts';
import { TableBackups } from './backup.ts';
import type { BusStack } from './bus-stack.ts';
import { AlarmChat } from './chat.ts';
import { FunctionLog, ServiceFunction } from './service-function.ts';
import { placeOf, type Settings } from './settings.ts';
import { Watch } from './watch.ts';

/** What looks at the bus and the portal: alarms, the dashboard, the probe, and copies of the tables elsewhere. Nothing that serves a request depends on it. */
export class WatchStack extends Stack {
  constructor(scope: Construct, settings: Settings, bus: BusStack) {
    const { environment } = settings;
    super(scope, `${resourceNames(environment).stack}-watch`, {
      ...placeOf(settings),
      description: `som-bus ${environment}: alarms, dashboard and probe`,
    });
    new Watch(this, 'Watch', { environment, topic: bus.alarmTopic, ...bus.watched });
    this.addProbe(settings, bus.origin);
    const { backupVault: vault, chat } = settings;
    if (chat) new AlarmChat(this, { environment, chat, topic: bus.alarmTopic });
    const tableNames = Object.values(bus.watched.tables).map(({ tableName }) => tableName);
    if (vault) new TableBackups(this, 'Backups', { environment, tableNames, vault });
  }

  /** The release of the bus calls it by its name: it comes after the first deployment of the bus. */
  private addProbe(settings: Settings, origin: string): void {
    const { environment } = settings;
    const { id: name, size, everyMinutes } = probeFunction;
    const log = new FunctionLog(this, settings, 'watch');
    const probe = new ServiceFunction(this, 'Probe', { name, environment, size, log });
    probe.tell({ [envVars.origin]: origin });
    probe.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(everyMinutes) });
    const arn = (service: string, resource: string, resourceName: string) =>
      this.formatArn({ service, resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    const { probeParameter, api } = resourceNames(environment);
    probe.allow({
      actions: ['ssm:GetParameter'],
      resources: [
        this.formatArn({ service: 'ssm', resource: 'parameter', resourceName: probeParameter.slice(1) }),
      ],
    });
    probe.allow({
      actions: ['lambda:InvokeFunction'],
      resources: probedIds.map(id => arn('lambda', 'function', `sombus-${environment}-${id}`)),
    });
    probe.allow({
      actions: ['codedeploy:PutLifecycleEventHookExecutionStatus'],
      resources: [arn('codedeploy', 'deploymentgroup', `${api('bus')}/*`)],
    });
    acceptFinding(
      probe.grantee,
      `IAM5[Resource::arn:<AWS::Partition>:codedeploy:<AWS::Region>:<AWS::AccountId>:deploymentgroup:sombus-${environment}-bus/*]`,
    );
    new Rule(this, 'ProbeSchedule', { schedule: Schedule.rate(Duration.minutes(everyMinutes)) }).addTarget(
      new LambdaFunction(probe, { retryAttempts: 0 }),
    );
  }
}
