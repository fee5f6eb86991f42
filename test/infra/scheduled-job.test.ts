import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { PortAccess } from '../../lib/contract/functions.ts';
import {
  FailedRuns,
  FunctionLog,
  type Grantable,
  ScheduledJob,
  type ServiceFunction,
} from '../../lib/infra/service-function.ts';

const granted: PortAccess[] = [];
const grant = (port: PortAccess): Grantable => ({
  grantTo: (target: ServiceFunction) => {
    granted.push(port);
    target.tell({ SOMBUS_LEDGER_TABLE: 'a-table' });
  },
});

const ports: readonly PortAccess[] = ['clock', 'ids', 'log.read', 'log.update'];

const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'jobs');
new ScheduledJob(stack, 'Job', {
  name: 'health', // any of the lambdas will do: what it runs is not looked at
  environment: 'preview',
  log: new FunctionLog(stack, { environment: 'preview', logRetention: 30 }, 'bus'),
  failures: new FailedRuns(stack, 'preview'),
  job: {
    memoryMegabytes: 512,
    timeoutSeconds: 50,
    everySecondsLocally: 2,
    budgetSeconds: 10,
    everyMinutes: 1,
    ports: ['log.read', 'clock'],
  },
  grants: Object.fromEntries(ports.map(port => [port, grant(port)])) as Record<PortAccess, Grantable>,
});
const template = Template.fromStack(stack);

describe('a scheduled function', () => {
  it('runs every minute', () => {
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 minute)' });
  });

  it('gets the ports of its row and no others', () => {
    expect(granted).toEqual(['log.read', 'clock']);
    template.hasResourceProperties('AWS::Lambda::Function', {
      MemorySize: 512,
      Timeout: 50,
    });
  });

  it('is not repeated, and a run that failed is kept in an encrypted queue', () => {
    const [queue] = Object.keys(template.findResources('AWS::SQS::Queue'));
    const Arn = { 'Fn::GetAtt': [queue, 'Arn'] };
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
      DestinationConfig: { OnFailure: { Destination: Arn } },
    });
    template.hasResourceProperties('AWS::Events::Rule', {
      Targets: [{ RetryPolicy: { MaximumRetryAttempts: 0 }, DeadLetterConfig: { Arn } }],
    });
    template.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: 'sombus-preview-failed-runs',
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 24 * 60 * 60,
    });
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: {
        Statement: [{ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }, {}],
      },
    });
    const [role] = Object.values(template.findResources('AWS::IAM::Role'));
    expect(role?.['Properties'].Policies[0].PolicyDocument.Statement).toContainEqual({
      Effect: 'Allow',
      Action: 'sqs:SendMessage',
      Resource: Arn,
    });
  });
});
