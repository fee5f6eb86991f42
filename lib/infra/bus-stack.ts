import { CfnOutput, Duration } from 'aws-cdk-lib';
import { IdentitySource, Period, RequestAuthorizer, UsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import { Construct } from 'constructs';
import { envVars, resourceNames } from '../contract/environments.ts';
import { type JobId, jobIds, jobs, tracedShare } from '../contract/functions.ts';
import { limits, type Quota, tierNames, tiers } from '../contract/limits.ts';
import { apis } from '../contract/route.ts';
import { acceptFinding } from './accept-finding.ts';
import { accessLogAccount } from './access-log.ts';
import { ApiStack } from './api-stack.ts';
import { Firewall } from './firewall.ts';
import { AlarmTopic } from './operator-mail.ts';
import { RouteApi } from './route-api.ts';
import { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';
import type { StatefulStack } from './stateful-stack.ts';
import type { WatchProps } from './watch.ts';

/**
 * The bus: its API and functions, the scheduled ones too, and what both APIs share: the firewall
 * and the operator's mail.
 */
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
    restApi.deploymentStage.node.addDependency(accessLogAccount(this));
    this.origin = this.originOf(restApi);
    // Also while a domain stands in its place: a stack that imports it could not be deployed after
    // this one.
    this.exportValue(restApi.restApiId);
    this.tellAll({ [envVars.origin]: this.origin });
    this.addDomain(restApi);
    this.firewall = new Firewall(this, 'Firewall', settings);
    this.firewall.protect(restApi, restApi.deploymentStage.stageArn);
    this.addTierPlans(restApi);
    this.sampleTraces();
    this.alarmTopic = new AlarmTopic(this, 'Calls', settings);
    this.watched = { restApi, log: this.log, tables: this.tables, failures: this.schedule() };
    // The operator's commands read it.
    new StringParameter(this, 'Tables', {
      parameterName: resourceNames(environment).tablesParameter,
      stringValue: JSON.stringify(
        Object.fromEntries(
          Object.entries(this.tables).map(([name, { tableName }]) => [name, tableName]),
        ),
      ),
    });
    new CfnOutput(this, 'BaseUrl', { value: `${this.origin}/${apis.bus.stage}` });
    new CfnOutput(this, 'SignedRoutesArn', {
      value: restApi.arnForExecuteApi('POST', '/*', apis.bus.stage),
    });
  }

  /**
   * Jobs are not released step by step: a failed run is not repeated, but kept, and the next one
   * continues its work.
   */
  private schedule(): Queue {
    const failures = new Queue(this, 'FailedRuns', {
      queueName: `${resourceNames(this.settings.environment).stack}-failed-runs`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    acceptFinding(failures, 'SQS3');
    const rules = new Map<number, Rule>();
    for (const name of jobIds) {
      const { everyMinutes } = jobs[name];
      // One for all that run as often (five targets at most; EventBridge: "Quotas").
      const rule =
        rules.get(everyMinutes) ??
        new Rule(this, `Every-${everyMinutes}`, {
          schedule: Schedule.rate(Duration.minutes(everyMinutes)),
        });
      rules.set(everyMinutes, rule);
      const target = this.jobFunction(name, failures);
      rule.addTarget(new LambdaFunction(target, { retryAttempts: 0, deadLetterQueue: failures }));
    }
    return failures;
  }

  private jobFunction(name: JobId, failures: Queue): ServiceFunction {
    const { environment } = this.settings;
    const target = new ServiceFunction(new Construct(this, `Job-${name}`), 'Function', {
      name,
      environment,
      size: jobs[name],
      log: this.log,
    });
    target.configureAsyncInvoke({
      retryAttempts: 0,
      maxEventAge: Duration.minutes(jobs[name].everyMinutes),
      onFailure: new SqsDestination(failures),
    });
    target.allow({ actions: ['sqs:SendMessage'], resources: [failures.queueArn] });
    this.grant(target, jobs[name].ports);
    return target;
  }

  /**
   * A usage plan per quota tier. The operator's commands assign connections' keys to them, and add
   * plans for custom quotas.
   */
  private addTierPlans({ deploymentStage }: RouteApi): void {
    const scope = new Construct(this, 'TierPlans');
    for (const tier of tierNames) {
      const { perSecond, burst, perDay }: Quota = tiers[tier];
      new UsagePlan(scope, tier, {
        name: resourceNames(this.settings.environment).usagePlan(tier),
        description: `Each connection of tier ${tier}`,
        throttle: { rateLimit: perSecond, burstLimit: burst },
        quota: { limit: perDay, period: Period.DAY },
        apiStages: [{ stage: deploymentStage }],
      });
    }
  }

  /**
   * By default, X-Ray records the first request of every second, which on a quiet bus is every
   * request.
   */
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
