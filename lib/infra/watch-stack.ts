import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import {
  CfnMicrosoftTeamsChannelConfiguration,
  CfnSlackChannelConfiguration,
} from 'aws-cdk-lib/aws-chatbot';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { envVars, resourceNames } from '../contract/environments.ts';
import { probedIds, probeFunction } from '../contract/functions.ts';
import { acceptFinding, releaseGroups } from './accept-finding.ts';
import type { BusStack } from './bus-stack.ts';
import { NightlyCopies } from './nightly-copies.ts';
import type { PortalStack } from './portal-stack.ts';
import { FunctionLog, ServiceFunction } from './service-function.ts';
import { serviceRole } from './service-role.ts';
import { type ChatChannel, type Settings, stackPlaceOf } from './settings.ts';
import { TableTrail } from './trail.ts';
import { Watch } from './watch.ts';

/**
 * What looks at the bus and the portal: alarms, the dashboard, the probe, and copies of the tables
 * elsewhere. Nothing that serves a request depends on it.
 */
export class WatchStack extends Stack {
  readonly #names: ReturnType<typeof resourceNames>;

  constructor(
    scope: Construct,
    settings: Settings,
    { bus, portal }: { readonly bus: BusStack; readonly portal: PortalStack },
  ) {
    const { environment, chat, trailDays } = settings;
    const names = resourceNames(environment);
    super(scope, `${names.stack}-watch`, {
      ...stackPlaceOf(settings),
      description: `som-bus ${environment}: alarms, dashboard and probe`,
    });
    this.#names = names;
    const others = this.addCopies(settings, bus);
    new Watch(this, 'Watch', { environment, topic: bus.alarmTopic, ...bus.watched, others });
    this.addProbe(settings, { [envVars.origin]: bus.origin, [envVars.portalUrl]: portal.address });
    if (chat) this.addChat(chat, bus.alarmTopic.topicArn);
    const tables = Object.values(bus.watched.tables).map(({ tableName }) => tableName);
    if (trailDays) new TableTrail(this, { environment, days: trailDays, tables });
  }

  private addCopies({ environment, backupVault }: Settings, bus: BusStack): readonly IAlarm[] {
    if (backupVault === undefined) return [];
    const { alarms } = new NightlyCopies(this, 'Backups', {
      environment,
      tableNames: Object.values(bus.watched.tables).map(({ tableName }) => tableName),
      vaultArn: backupVault,
      topic: bus.alarmTopic,
    });
    return alarms;
  }

  /**
   * The release of the bus calls it by its name: it comes after the first deployment of the bus.
   */
  private addProbe(settings: Settings, places: Readonly<Record<string, string>>): void {
    const { environment } = settings;
    const { id: name, size, everyMinutes } = probeFunction;
    const log = new FunctionLog(this, settings, 'watch');
    const probe = new ServiceFunction(this, 'Probe', { name, environment, size, log });
    probe.tell(places);
    probe.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(everyMinutes) });
    const allow = (action: string, ...resources: readonly string[]) =>
      probe.allow({ actions: [action], resources: [...resources] });
    const arn = (service: string, resource: string, resourceName: string) =>
      this.formatArn({ service, resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    const { probeParameter, api } = this.#names;
    allow(
      'ssm:GetParameter',
      this.formatArn({
        service: 'ssm',
        resource: 'parameter',
        resourceName: probeParameter.slice(1),
      }),
    );
    allow(
      'lambda:InvokeFunction',
      ...probedIds.map(id => arn('lambda', 'function', `sombus-${environment}-${id}`)),
    );
    allow(
      'codedeploy:PutLifecycleEventHookExecutionStatus',
      arn('codedeploy', 'deploymentgroup', `${api('bus')}/*`),
    );
    acceptFinding(probe.grantee, releaseGroups);
    new Rule(this, 'ProbeSchedule', {
      schedule: Schedule.rate(Duration.minutes(everyMinutes)),
    }).addTarget(new LambdaFunction(probe, { retryAttempts: 0 }));
  }

  /**
   * A channel of Slack or Microsoft Teams that is told of alarms (Amazon Q Developer in chat
   * applications). Nobody can change anything from there.
   */
  private addChat(chat: ChatChannel, topicArn: string): void {
    const scope = new Construct(this, 'Chat');
    const role = serviceRole(scope, 'Role', {
      service: 'chatbot',
      policyName: 'shown',
      // What its messages show: the alarm and the graph of its metric.
      allowed: [
        { actions: ['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData'], resources: ['*'] },
      ],
    });
    acceptFinding(role, 'IAM5[Resource::*]');
    const policy = { service: 'iam', region: '', account: 'aws', resource: 'policy' };
    const configuration = {
      configurationName: this.#names.stack,
      iamRoleArn: role.roleArn,
      snsTopicArns: [topicArn],
      // Without one, AWS takes AdministratorAccess ("Channel guardrail policies").
      guardrailPolicies: [this.formatArn({ ...policy, resourceName: 'CloudWatchReadOnlyAccess' })],
    };
    if ('slackChannelId' in chat)
      new CfnSlackChannelConfiguration(scope, 'Slack', { ...configuration, ...chat });
    else new CfnMicrosoftTeamsChannelConfiguration(scope, 'Teams', { ...configuration, ...chat });
  }
}
