import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { AccessLogFormat, CfnAccount, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigateway';
import { FilterPattern, type IFilterPattern, type ILogGroup, LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { EnvironmentName } from '../contract/environments.ts';
import type { Api } from '../contract/route.ts';
import { acceptFinding } from './accept-finding.ts';
import { KeptLog, type LogSettings } from './log-archive.ts';
import { serviceRole } from './service-role.ts';

/** One line per request: caller, request and result. No headers, query, body or token. */
const fields = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  /** The template of the path, with its parameters' names. */
  resource: '$context.resourcePath',
  status: '$context.status',
  refusedBy: '$context.error.responseType',
  /** `WAF_ALLOW` or `WAF_BLOCK`. */
  firewall: '$context.wafResponseCode',
  authoriser: '$context.authorizer.status',
  connection: '$context.authorizer.principalId',
  workspace: '$context.authorizer.workspace',
  signer: '$context.identity.userArn',
  responseBytes: '$context.responseLength',
  milliseconds: '$context.responseLatency',
  functionMilliseconds: '$context.integration.latency',
  trace: '$context.xrayTraceId',
};

/** The lines of requests that API Gateway refused in one of these ways. */
export const refusedBy = (...types: readonly string[]): IFilterPattern =>
  FilterPattern.any(...types.map(type => FilterPattern.stringValue('$.refusedBy', '=', type)));

export const throttledRequests = refusedBy('THROTTLED', 'QUOTA_EXCEEDED');

const nameOf = (environment: EnvironmentName, api: Api): string =>
  `/sombus/${environment}/access/${api}`;

export const busAccessLog = (scope: Construct, environment: EnvironmentName): ILogGroup =>
  LogGroup.fromLogGroupName(scope, 'BusAccessLog', nameOf(environment, 'bus'));

export class AccessLog extends KeptLog {
  constructor(scope: Construct, api: Api, settings: LogSettings) {
    super(scope, 'AccessLog', { ...settings, logGroupName: nameOf(settings.environment, api) });
  }

  readonly stageOptions = {
    accessLogDestination: new LogGroupLogDestination(this),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(fields)),
  };
}

/**
 * What API Gateway requires of a role for logs (AWS: "Set up CloudWatch logging for REST APIs").
 */
const actions = [
  'logs:CreateLogGroup',
  'logs:CreateLogStream',
  'logs:DescribeLogGroups',
  'logs:DescribeLogStreams',
  'logs:PutLogEvents',
  'logs:GetLogEvents',
  'logs:FilterLogEvents',
];

/**
 * Lets API Gateway write access logs: one setting for the whole account and region, so it is kept
 * when the stack is deleted.
 */
export const accessLogAccount = (stack: Stack): CfnAccount => {
  const scope = new Construct(stack, 'AccessLogRole');
  const role = serviceRole(scope, 'Role', {
    service: 'apigateway',
    policyName: 'logs',
    // As in AWS's own AmazonAPIGatewayPushToCloudWatchLogs: API Gateway checks the role when it is
    // set.
    allowed: [{ actions, resources: ['*'] }],
  });
  acceptFinding(role, 'IAM5[Resource::*]');
  const account = new CfnAccount(scope, 'Account', { cloudWatchRoleArn: role.roleArn });
  for (const kept of [role, account]) kept.applyRemovalPolicy(RemovalPolicy.RETAIN);
  return account;
};
