import { CfnOutput, Duration } from 'aws-cdk-lib';
import { IdentitySource, RequestAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import type { Construct } from 'constructs';
import { envVars, resourceNames } from '../contract/environments.ts';
import { jobIds, jobs, tracedShare } from '../contract/functions.ts';
import { limits } from '../contract/limits.ts';
import { apis } from '../contract/route.ts';
import { AccessLogRole } from './access-log.ts';
import { ApiStack } from './api-stack.ts';
import { Firewall } from './firewall.ts';
import { AlarmTopic } from './operator-mail.ts';
import { RouteApi } from './route-api.ts';
import { FailedRuns, ScheduledJob } from './service-function.ts';
import type { Settings } from './settings.ts';
import type { StatefulStack } from './stateful-stack.ts';
import { TierPlans } from './tier-plans.ts';
import type { WatchProps } from './watch.ts';

/** The bus: its API and functions, the scheduled ones too, and what both APIs share: the firewall and the operator's mail. */
export class BusStack extends ApiStack {
  /** The bus's address, without a path. */
  readonly origin: string;
  readonly firewall: Firewall;
  readonly alarmTopic: AlarmTopic;
  /** What alarms look at. */
  readonly watched: Omit<WatchProps, 'environment' | 'topic'>;

  constructor(scope: Construct, settings: Settings, state: StatefulStack) {
    super(scope, 'bus', { settings, state });
    const { environment } = settings;
    const functions = this.release();
    const authoriser = () =>
      new RequestAuthorizer(this, 'Authoriser', {
        handler: functions('authoriser'),
        // Whether a foreign token is valid depends on the workspace in the path.
        identitySources: [IdentitySource.header('Authorization'), IdentitySource.context('path')],
        resultsCacheTtl: Duration.seconds(limits.authoriserCacheSeconds),
      });
    const restApi = new RouteApi(this, 'BusApi', { api: 'bus', settings, functions, authoriser });
    // One setting for the account: whatever else has an access log comes after it.
    restApi.deploymentStage.node.addDependency(new AccessLogRole(this, 'AccessLogRole').account);
    this.origin = this.originOf(restApi);
    // Also while a domain stands in its place: a stack that imports it could not be deployed after this one.
    this.exportValue(restApi.restApiId);
    this.tellAll({ [envVars.origin]: this.origin });
    this.addDomain(restApi);
    this.firewall = new Firewall(this, 'Firewall', settings);
    this.firewall.protect(restApi, restApi.deploymentStage.stageArn);
    new TierPlans(this, 'TierPlans', { api: restApi, environment });
    this.sampleTraces();
    this.alarmTopic = new AlarmTopic(this, 'Calls', settings);
    this.watched = { restApi, log: this.log, tables: this.tables, failures: this.schedule() };
    // The operator's commands read it.
    new StringParameter(this, 'Tables', {
      parameterName: resourceNames(environment).tablesParameter,
      stringValue: JSON.stringify(
        Object.fromEntries(Object.entries(this.tables).map(([name, { tableName }]) => [name, tableName])),
      ),
    });
    new CfnOutput(this, 'BaseUrl', { value: `${this.origin}/${apis.bus.stage}` });
    new CfnOutput(this, 'SignedRoutesArn', { value: restApi.arnForExecuteApi('POST', '/*', apis.bus.stage) });
  }

  /** Jobs are not released step by step: a failed run is kept, and the next one continues. */
  private schedule(): FailedRuns {
    const { environment } = this.settings;
    const failures = new FailedRuns(this, environment);
    const { grants, log } = this;
    for (const name of jobIds)
      new ScheduledJob(this, `Job-${name}`, { name, job: jobs[name], environment, grants, log, failures });
    return failures;
  }

  /** By default, X-Ray records the first request of every second, which on a quiet bus is every request. */
  private sampleTraces(): void {
    new CfnSamplingRule(this, 'Traces', {
      samplingRule: {
        ruleName: resourceNames(this.settings.environment).stack,
        version: 1,
        priority: 100,
        fixedRate: tracedShare,
        reservoirSize: 0,
        httpMethod: '*',
        urlPath: '*',
        resourceArn: '*',
        host: '*',
        // Both APIs: X-Ray calls a stage "api/stage" (X-Ray: "Configuring sampling rules").
        serviceName: `${resourceNames(this.settings.environment).stack}-*`,
        serviceType: '*',
      },
    });
  }
}
