import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  BasePathMapping,
  CfnAccount,
  DomainName,
  EndpointType,
  LogGroupLogDestination,
  Period,
  SecurityPolicy,
  UsagePlan,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import { basePathOf } from '../contract/addresses.ts';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import { type Quota, type Tier, tiers } from '../contract/limits.ts';
import type { Route } from '../contract/routes.ts';
import { acceptFinding } from './accept-finding.ts';
import { type RouteApi, rowsOf } from './route-api.ts';
import { logRetention } from './service-function.ts';
import type { CustomDomain } from './settings.ts';

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

/** What API Gateway asks for before it takes a role for logs (AWS: "Set up CloudWatch logging for REST APIs"). */
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
 * Lets API Gateway write access logs: one setting for the whole account and region, so it stays when the stack goes.
 */
export class AccessLogRole extends Construct {
  readonly account: CfnAccount;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const resources = [Stack.of(this).formatArn({ service: 'logs', resource: '*' })];
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: {
        logs: new PolicyDocument({ statements: [new PolicyStatement({ actions, resources })] }),
      },
    });
    acceptFinding(role, 'IAM5[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:*]');
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    this.account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    this.account.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}

export interface ApiDomainProps {
  readonly api: Route['api'];
  readonly restApi: RouteApi;
  readonly domain: CustomDomain;
}

/** An address of one's own in front of an API, with its certificate and its DNS record. */
export class ApiDomain extends Construct {
  constructor(scope: Construct, id: string, { api, restApi, domain }: ApiDomainProps) {
    super(scope, id);
    const name = domain[api];
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', domain.zone);
    const certificate = new Certificate(this, 'Certificate', {
      domainName: name,
      validation: CertificateValidation.fromDns(zone),
    });
    const domainName = new DomainName(this, 'Name', {
      domainName: name,
      certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    for (const basePath of new Set(rowsOf(api).map(({ path }) => basePathOf(path)))) {
      new BasePathMapping(this, `Path-${basePath}`, {
        domainName,
        restApi,
        basePath,
        stage: restApi.deploymentStage,
      });
    }
    const target = RecordTarget.fromAlias(new ApiGatewayDomain(domainName));
    new ARecord(this, 'Record', { zone, recordName: `${name}.`, target });
  }
}

const tierNames = Object.keys(tiers).filter((name): name is Tier => name in tiers);

/** A usage plan per quota tier. The operator's commands put connections' keys on them, and add plans of custom numbers. */
export class TierPlans extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { api, environment }: { api: RouteApi; environment: EnvironmentName },
  ) {
    super(scope, id);
    for (const tier of tierNames) {
      const { perSecond, burst, perDay }: Quota = tiers[tier];
      new UsagePlan(this, tier, {
        name: resourceNames(environment).usagePlan(tier),
        description: `Each connection of tier ${tier}`,
        throttle: { rateLimit: perSecond, burstLimit: burst },
        quota: { limit: perDay, period: Period.DAY },
        apiStages: [{ stage: api.deploymentStage }],
      });
    }
  }
}
