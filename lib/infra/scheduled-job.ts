import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EnvironmentName } from '../contract/environments.ts';
import type { Job } from '../contract/functions.ts';
import type { PortName } from '../contract/route.ts';
import { acceptFinding } from './accept-finding.ts';
import { type Grantable, ServiceFunction } from './service-function.ts';

export interface ScheduledJobProps {
  /** The file `lambdas/<name>.ts`. */
  readonly name: string;
  readonly job: Job;
  readonly environment: EnvironmentName;
  readonly grants: Readonly<Record<PortName, Grantable>>;
}

/** A function that runs every few minutes; a run that failed is not repeated, and is kept in a queue to be looked at. */
export class ScheduledJob extends Construct {
  readonly failures: Queue;
  readonly target: ServiceFunction;

  constructor(scope: Construct, id: string, { name, job, environment, grants }: ScheduledJobProps) {
    super(scope, id);
    this.failures = new Queue(this, 'Failures', {
      queueName: `sombus-${environment}-${name}-failures`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    acceptFinding(this.failures, 'SQS3');
    this.target = new ServiceFunction(this, 'Function', { name, environment, size: job });
    this.target.configureAsyncInvoke({
      retryAttempts: 0, // the next run does what this one left
      maxEventAge: Duration.minutes(job.everyMinutes),
      onFailure: new SqsDestination(this.failures),
    });
    for (const port of job.ports) grants[port].grantTo(this.target);
    new Rule(this, 'Schedule', {
      schedule: Schedule.rate(Duration.minutes(job.everyMinutes)),
      targets: [new LambdaFunction(this.target, { retryAttempts: 0, deadLetterQueue: this.failures })],
    });
  }
}
