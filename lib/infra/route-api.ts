import {
  ApiKeySourceType,
  AuthorizationType,
  EndpointType,
  type IAuthorizer,
  type IResource,
  LambdaIntegration,
  type MethodOptions,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { resourcePathOf, stages } from '../contract/addresses.ts';
import { throttles } from '../contract/limits.ts';
import { resourceNames } from '../contract/resource-names.ts';
import type { Auth, Route } from '../contract/route.ts';
import type { RouteId } from '../contract/routes.ts';
import { acceptFinding } from './accept-finding.ts';
import { AccessLog } from './access-log.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { methodKeys, rowsOf, servedMethods, throttling } from './route-rows.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

export interface RouteApiProps {
  readonly api: Route['api'];
  readonly settings: Settings;
  readonly functions: Readonly<Record<RouteId | 'unrouted', ServiceFunction>>;
  /** Makes what bearer rows ask who is calling; not called for an API without such rows. */
  readonly authoriser?: () => IAuthorizer;
}

const stageOptions = (api: Route['api'], log: AccessLog) => ({
  stageName: stages[api],
  ...log.stageOptions,
  tracingEnabled: true,
  metricsEnabled: false, // per-method metrics are custom metrics; the stage's own are free
  dataTraceEnabled: false,
  ...throttling(throttles.wholeApi),
  methodOptions: Object.fromEntries(
    rowsOf(api).flatMap(row => methodKeys(row).map(key => [key, throttling(throttles[row.throttle])])),
  ),
});

/**
 * Anybody may call: each method's own authorisation says who comes through. A cloud role of another account could not call
 * a signed route without it (AWS: "How API Gateway resource policies affect authorization workflow").
 */
const openToAllAccounts = (api: Route['api']) =>
  new PolicyDocument({
    statements: [
      new PolicyStatement({
        effect: Effect.ALLOW,
        principals: [new AnyPrincipal()],
        actions: ['execute-api:Invoke'],
        resources: [`execute-api:/${stages[api]}/*`],
      }),
    ],
  });

/**
 * The REST API of one part of the route table: a method per row, in front of the row's function, and one function behind
 * every other address. Bodies arrive as they were sent.
 */
export class RouteApi extends RestApi {
  readonly log: AccessLog;

  constructor(scope: Construct, id: string, props: RouteApiProps) {
    const { api, settings } = props;
    const names = resourceNames(settings.environment);
    const log = new AccessLog(scope, `${id}AccessLog`, `/sombus/${settings.environment}/access/${api}`);
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

  private addRoutes({ api, functions, authoriser }: RouteApiProps): void {
    const to = (target: ServiceFunction) => new LambdaIntegration(target, { scopePermissionToMethod: false });
    const rows = rowsOf(api);
    const made = rows.some(({ auth }) => auth === 'bearer') ? authoriser?.() : undefined;
    for (const row of rows) {
      const resource = this.root.resourceForPath(resourcePathOf(row.path));
      const integration = to(functions[row.id]);
      for (const method of servedMethods(row)) {
        const added = resource.addMethod(method, integration, methodOptions(row.auth, made));
        if (row.auth === 'none') acceptFinding(added, 'APIG4');
      }
    }
    const elsewhere = to(functions.unrouted);
    this.root.addResource('{proxy+}');
    for (const resource of everyResource(this.root)) {
      acceptFinding(
        resource.addMethod('ANY', elsewhere, { authorizationType: AuthorizationType.NONE }),
        'APIG4',
      );
    }
  }
}

const methodOptions = (auth: Auth, authorizer: IAuthorizer | undefined): MethodOptions => {
  switch (auth) {
    case 'none':
      return { authorizationType: AuthorizationType.NONE };
    case 'sigv4':
      return { authorizationType: AuthorizationType.IAM };
    case 'bearer':
      if (!authorizer) throw new Error('An API with bearer rows needs an authoriser.');
      return { authorizationType: AuthorizationType.CUSTOM, authorizer, apiKeyRequired: true };
  }
};

const everyResource = (resource: IResource): readonly IResource[] => {
  const children = resource.node.children.filter(
    (child): child is IResource & typeof child => 'addMethod' in child && 'path' in child,
  );
  return [resource, ...children.flatMap(everyResource)];
};
