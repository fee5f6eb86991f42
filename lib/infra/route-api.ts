import { ArnFormat } from 'aws-cdk-lib';
import {
  ApiKeySourceType,
  AuthorizationType,
  AwsIntegration,
  EndpointType,
  type IAuthorizer,
  type Integration,
  type IResource,
  type MethodOptions,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import {
  type FunctionId,
  liveAlias,
  type PortAccess,
  releasedIds,
  servedBy,
  unroutedIds,
} from '../contract/functions.ts';
import { type Bucket, throttles } from '../contract/limits.ts';
import { methodsOf, resourcePathOf } from '../contract/paths.ts';
import {
  challengeHeaders,
  outcomeUnknown,
  refusalBody,
  signatureRequired,
} from '../contract/refusals.ts';
import { apis, type Route } from '../contract/route.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import { type RuleId, rules } from '../contract/rules.ts';
import { acceptFinding } from './accept-finding.ts';
import { AccessLog } from './access-log.ts';
import { serviceRole } from './service-role.ts';
import type { Settings } from './settings.ts';

/** A row of the route table with its id. */
export interface RouteRow extends Route {
  readonly id: RouteId;
  readonly ports: readonly PortAccess[];
}

const isRouteId = (id: string): id is RouteId => id in routes;

export const routeRows: readonly RouteRow[] = Object.keys(routes)
  .filter(isRouteId)
  .map(id => ({ ...routes[id], id }));

export const rowsOf = (api: Route['api']): readonly RouteRow[] =>
  routeRows.filter(row => row.api === api);

/** The methods that reach a row's function; preflights are answered elsewhere. */
const servedMethods = (row: Route): readonly string[] =>
  methodsOf(row).filter(method => method !== 'OPTIONS');

/** A token bucket in API Gateway's terms. */
const throttling = ({ perSecond, burst }: Bucket) => ({
  throttlingRateLimit: perSecond,
  throttlingBurstLimit: burst,
});

interface PlatformRefusal {
  readonly rule: RuleId;
  /** Instead of the rule's meaning. */
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const unavailable: PlatformRefusal = { rule: 'registry.unavailable' };
const unauthenticated: PlatformRefusal = {
  rule: 'producer.unauthenticated',
  headers: challengeHeaders(401),
};
/** Signed routes alone are called with a signature, or without the one that they need. */
const unsigned: PlatformRefusal = { ...unauthenticated, message: signatureRequired };
const wronglySigned: PlatformRefusal = {
  ...unauthenticated,
  message:
    'AWS does not accept the signature of this request: check the secret key, the session ' +
    'token, the region, the clock, and that nothing was changed after it was signed.',
};
const notRegistered: PlatformRefusal = { rule: 'producer.not_registered' };
/**
 * IAM did not let a signed request through; the bus never saw it. Roles of the bus's own account
 * hardly meet it.
 */
const notInvokable: PlatformRefusal = {
  rule: 'producer.not_registered',
  message:
    'AWS refused this signed request before it reached the bus: the policy of the role must ' +
    'allow execute-api:Invoke on this address. The guide to cloud roles has the policy.',
};
const blocked: PlatformRefusal = { rule: 'request.blocked' };

/**
 * API Gateway's own refusals, mapped to the service's rules (AWS: "Gateway response types for API
 * Gateway").
 */
export const platformRefusals = (api: Route['api']): Readonly<Record<string, PlatformRefusal>> => ({
  ACCESS_DENIED: notInvokable,
  // Also for a function's answer that API Gateway cannot read: the function has done its work then.
  API_CONFIGURATION_ERROR: outcomeUnknown[api],
  AUTHORIZER_CONFIGURATION_ERROR: unavailable,
  AUTHORIZER_FAILURE: unavailable,
  BAD_REQUEST_BODY: { rule: 'message.not_json' },
  BAD_REQUEST_PARAMETERS: { rule: 'pull.invalid_parameter' },
  DEFAULT_4XX: blocked,
  DEFAULT_5XX: outcomeUnknown[api],
  EXPIRED_TOKEN: wronglySigned,
  INTEGRATION_FAILURE: outcomeUnknown[api],
  INTEGRATION_TIMEOUT: outcomeUnknown[api],
  // The authoriser names the caller's usage-plan key; without a plan the connection is revoked, or
  // not registered yet.
  INVALID_API_KEY: notRegistered,
  INVALID_SIGNATURE: wronglySigned,
  // Unknown addresses have their own catch-all method: this leaves unsigned calls to signed routes.
  MISSING_AUTHENTICATION_TOKEN: unsigned,
  QUOTA_EXCEEDED: { rule: 'quota.exceeded' },
  REQUEST_TOO_LARGE: { rule: 'message.too_large' },
  RESOURCE_NOT_FOUND: { rule: 'route.not_found' },
  // Every bucket refills at least once a second.
  THROTTLED: { rule: 'rate.limited', headers: { 'Retry-After': '1' } },
  UNAUTHORIZED: unauthenticated,
  UNSUPPORTED_MEDIA_TYPE: { rule: 'message.unsupported_media_type' },
  WAF_FILTERED: blocked,
});

/** Gives the platform's own refusals the service's messages. */
const addGatewayResponses = (restApi: RestApi, api: Route['api']): void => {
  for (const [type, { rule, message, headers = {} }] of Object.entries(platformRefusals(api))) {
    // API Gateway's mapping syntax: a constant is in quotes.
    const constants = Object.entries(headers).map(([name, value]) => [name, `'${value}'`]);
    restApi.addGatewayResponse(`Refusal${type}`, {
      type: ResponseType.of(type),
      statusCode: String(rules[rule].status),
      responseHeaders: { 'x-request-id': 'context.requestId', ...Object.fromEntries(constants) },
      templates: { 'application/json': JSON.stringify(refusalBody(api, rule, message)) },
    });
  }
};

interface RouteApiProps {
  readonly api: Route['api'];
  readonly settings: Settings;
  /** What requests go to. */
  readonly functions: (id: FunctionId) => IFunction;
  /** Creates the authoriser of bearer rows; absent for an API without any. */
  readonly authoriser?: () => IAuthorizer;
}

const stageOptions = (api: Route['api'], log: AccessLog) => ({
  stageName: apis[api].stage,
  ...log.stageOptions,
  tracingEnabled: true,
  metricsEnabled: false, // per-method metrics are custom metrics; the stage's own are free
  dataTraceEnabled: false,
  ...throttling(throttles.wholeApi),
  methodOptions: Object.fromEntries(
    rowsOf(api).flatMap(row =>
      servedMethods(row).map(method => [
        `${resourcePathOf(row)}/${method}`,
        throttling(throttles[row.throttle]),
      ]),
    ),
  ),
});

/**
 * Anyone may call: each method's own authorisation decides who gets through. Without this, a cloud
 * role of another account could not call a signed route (AWS: "How API Gateway resource policies
 * affect authorization workflow").
 */
const openToAllAccounts = (api: Route['api']) =>
  new PolicyDocument({
    statements: [
      new PolicyStatement({
        effect: Effect.ALLOW,
        principals: [new AnyPrincipal()],
        actions: ['execute-api:Invoke'],
        resources: [`execute-api:/${apis[api].stage}/*`],
      }),
    ],
  });

/**
 * The REST API of one part of the route table: a method per row, in front of the row's function,
 * and one function behind every other address. Bodies arrive as they were sent.
 */
export class RouteApi extends RestApi {
  readonly log: AccessLog;

  constructor(scope: Construct, id: string, props: RouteApiProps) {
    const { api, settings } = props;
    const names = resourceNames(settings.environment);
    const log = new AccessLog(scope, api, settings);
    super(scope, id, {
      restApiName: names.api(api),
      endpointTypes: [EndpointType.REGIONAL],
      binaryMediaTypes: ['*/*'],
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      cloudWatchRole: false,
      disableExecuteApiEndpoint: settings.domain !== undefined,
      policy: openToAllAccounts(api),
      deployOptions: stageOptions(api, log),
    });
    this.log = log;
    this.addRoutes(props);
    addGatewayResponses(this, api);
    acceptFinding(this, 'APIG2', 'APIG6', 'COG4');
  }

  /**
   * The API calls its functions in a role of its own (AWS: "API Gateway permissions model for
   * invoking an API"): one grant, where a permission on each function would be a resource each.
   */
  private integrations({ api, settings }: RouteApiProps): (target: IFunction) => Integration {
    const ids = new Set<FunctionId>([
      ...rowsOf(api).map(row => servedBy(row.id)),
      unroutedIds[api],
    ]);
    const arnOf = (id: FunctionId) => {
      const name = `sombus-${settings.environment}-${id}`;
      return this.stack.formatArn({
        service: 'lambda',
        resource: 'function',
        resourceName: releasedIds.includes(id) ? `${name}:${liveAlias}` : name,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      });
    };
    const credentialsRole = serviceRole(this, 'CallerRole', {
      service: 'apigateway',
      policyName: 'functions',
      allowed: [{ actions: ['lambda:InvokeFunction'], resources: [...ids].map(arnOf) }],
    });
    return ({ functionArn }) =>
      new AwsIntegration({
        proxy: true,
        service: 'lambda',
        path: `2015-03-31/functions/${functionArn}/invocations`,
        options: { credentialsRole },
      });
  }

  private addRoutes(props: RouteApiProps): void {
    const { api, functions, authoriser } = props;
    const to = this.integrations(props);
    const rows = rowsOf(api);
    const made = authoriser?.();
    for (const row of rows) {
      const resource = this.root.resourceForPath(resourcePathOf(row));
      const integration = to(functions(servedBy(row.id)));
      for (const method of servedMethods(row)) {
        const added = resource.addMethod(method, integration, methodOptions(row, made));
        if (row.auth === 'none') acceptFinding(added, 'APIG4');
      }
    }
    const elsewhere = to(functions(unroutedIds[api]));
    this.root.resourceForPath('{proxy+}');
    for (const resource of everyResource(this.root)) {
      acceptFinding(
        resource.addMethod('ANY', elsewhere, { authorizationType: AuthorizationType.NONE }),
        'APIG4',
      );
    }
  }
}

const methodOptions = (
  { auth, quota }: Route,
  authorizer: IAuthorizer | undefined,
): MethodOptions => {
  switch (auth) {
    case 'none':
      return { authorizationType: AuthorizationType.NONE };
    case 'sigv4':
      return { authorizationType: AuthorizationType.IAM };
    case 'bearer':
      if (!authorizer) throw new Error('An API with bearer rows needs an authoriser.');
      return {
        authorizationType: AuthorizationType.CUSTOM,
        authorizer,
        apiKeyRequired: quota === true,
      };
  }
};

const everyResource = (resource: IResource): readonly IResource[] => {
  const children = resource.node.children.filter(
    (child): child is IResource & typeof child => 'addMethod' in child && 'path' in child,
  );
  return [resource, ...children.flatMap(everyResource)];
};

/**
 * A metric of an API, by names alone: with a reference to the stage, the release of a function
 * would wait for the API, which waits for the function.
 */
export const apiMetric = (
  environment: EnvironmentName,
  api: Route['api'],
  metricName: '5XXError' | '4XXError' | 'Count' | 'Latency',
): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiName: resourceNames(environment).api(api), Stage: apis[api].stage },
    statistic: Stats.SUM,
  });
