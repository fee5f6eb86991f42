import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { logRetention } from './service-function.ts';

/** One line per request: who, what, how it ended. No header, query, body or token. */
const fields = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  /** The template of the path, with its parameters' names. */
  resource: '$context.resourcePath',
  status: '$context.status',
  refusedBy: '$context.error.responseType',
  firewall: '$context.waf.status',
  authoriser: '$context.authorizer.status',
  connection: '$context.authorizer.principalId',
  signer: '$context.identity.userArn',
  responseBytes: '$context.responseLength',
  milliseconds: '$context.responseLatency',
  functionMilliseconds: '$context.integration.latency',
  trace: '$context.xrayTraceId',
};

/** The access log of an API. */
export class AccessLog extends LogGroup {
  constructor(scope: Construct, id: string, name: string) {
    super(scope, id, { logGroupName: name, retention: logRetention, removalPolicy: RemovalPolicy.DESTROY });
  }

  readonly stageOptions = {
    accessLogDestination: new LogGroupLogDestination(this),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(fields)),
  };
}
