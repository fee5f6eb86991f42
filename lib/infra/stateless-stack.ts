import { type App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { IdentitySource, RequestAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { stages } from '../contract/addresses.ts';
import { type EnvironmentName, envVars, resourceNames } from '../contract/environments.ts';
import { type FunctionId, type FunctionSize, functionSizes, jobs } from '../contract/functions.ts';
import { limits } from '../contract/limits.ts';
import type { Route, RouteId } from '../contract/routes.ts';
import { AccessLogRole } from './access-log.ts';
import { ApiDomain } from './api-domain.ts';
import { Firewall } from './firewall.ts';
import { type PortGrants, portGrants } from './port-grants.ts';
import { RouteApi, routeRows, TierPlans } from './route-api.ts';
import { ScheduledJob, ServiceFunction } from './service-function.ts';
import { environmentNames, placeOf, type Settings, settingsOf } from './settings.ts';
import { signInVariables } from './sign-in.ts';
import { StatefulStack } from './stateful-stack.ts';
import { Watch } from './watch.ts';

type Functions = Readonly<Record<FunctionId, ServiceFunction>>;

const functionIds = Object.keys(functionSizes).filter((id): id is FunctionId => id in functionSizes);

const makeFunctions = (stack: Stack, environment: Settings['environment']): Functions => {
  const made: Partial<Record<FunctionId, ServiceFunction>> = {};
  for (const name of functionIds) {
    const size: FunctionSize = functionSizes[name];
    made[name] = new ServiceFunction(stack, `function-${name}`, { name, environment, size });
  }
  return made as Functions; // every id was just made
};

/** What runs: the APIs and their functions. It holds no state and can be replaced at any time. */
class StatelessStack extends Stack {
  constructor(scope: Construct, settings: Settings, state: StatefulStack) {
    const { environment } = settings;
    super(scope, `${resourceNames(environment).stack}-stateless`, {
      ...placeOf(settings),
      description: `som-bus ${environment}: APIs and functions`,
    });
    const functions = makeFunctions(this, environment);
    const grants = portGrants(this, state);
    this.grant(functions, grants, state);
    const bus = this.busApi(settings, functions);
    const portal = new RouteApi(this, 'PortalApi', { api: 'portal', settings, functions });
    const origins = {
      bus: this.origin(bus, settings.domain?.bus),
      portal: this.origin(portal, settings.domain?.portal),
    };
    this.tellOrigins(functions, origins);
    const signIn = signInVariables(this, settings, { pool: state.people, origin: origins.portal });
    for (const [name, value] of Object.entries(signIn)) functions['portal-sign'].addEnvironment(name, value);
    this.protect({ bus, portal }, settings);
    new TierPlans(this, 'TierPlans', { api: bus, environment });
    const failures = this.schedule(environment, grants);
    new Watch(this, 'Watch', {
      environment,
      bus,
      portal,
      token: functions.token,
      tables: [state.registry, state.ledger, state.activity, state.sessions],
      failures,
      ...(settings.alarmAddress ? { alarmAddress: settings.alarmAddress } : {}),
    });
    new CfnOutput(this, 'BaseUrl', { value: `${origins.bus}/${stages.bus}` });
    new CfnOutput(this, 'PortalUrl', { value: origins.portal });
  }

  private grant(functions: Functions, grants: PortGrants, state: StatefulStack): void {
    for (const { id, ports } of routeRows) for (const port of ports) grants[port].grantTo(functions[id]);
    grants.registry.grantTo(functions.authoriser);
    state.signingKey.verifying.grantTo(functions.authoriser);
  }

  private busApi(settings: Settings, functions: Functions): RouteApi {
    const authoriser = () =>
      new RequestAuthorizer(this, 'Authoriser', {
        handler: functions.authoriser,
        // Whether a foreign token is valid depends on the workspace in the path.
        identitySources: [IdentitySource.header('Authorization'), IdentitySource.context('path')],
        resultsCacheTtl: Duration.seconds(limits.authoriserCacheSeconds),
      });
    return new RouteApi(this, 'BusApi', { api: 'bus', settings, functions, authoriser });
  }

  /** Puts the firewall, the access log and the custom domain, if there is one, in front of each API. */
  private protect(apis: Readonly<Record<Route['api'], RouteApi>>, { environment, domain }: Settings): void {
    const { account } = new AccessLogRole(this, 'AccessLogRole');
    for (const api of ['bus', 'portal'] as const) {
      const restApi = apis[api];
      restApi.deploymentStage.node.addDependency(account);
      new Firewall(this, `Firewall-${api}`, { api, environment, restApi });
      if (domain) new ApiDomain(this, `Domain-${api}`, { api, restApi, domain });
    }
  }

  private schedule(environment: Settings['environment'], grants: PortGrants): readonly Queue[] {
    return Object.entries(jobs).map(
      ([name, job]) => new ScheduledJob(this, `Job-${name}`, { name, job, environment, grants }).failures,
    );
  }

  private origin(api: RouteApi, domain: string | undefined): string {
    return `https://${domain ?? `${api.restApiId}.execute-api.${this.region}.${this.urlSuffix}`}`;
  }

  private tellOrigins(functions: Functions, origins: Readonly<Record<Route['api'], string>>): void {
    const tell = (id: RouteId | 'authoriser', api: Route['api']) =>
      functions[id].tell({ [envVars.origin]: origins[api] });
    for (const { id, api } of routeRows) tell(id, api);
    tell('authoriser', 'bus');
  }
}

/** Adds the stacks of every environment, or of some, to an app. */
export const addEnvironments = (app: App, names: readonly EnvironmentName[] = environmentNames): void => {
  for (const environment of names) {
    const settings = settingsOf(app.node, environment);
    new StatelessStack(app, settings, new StatefulStack(app, settings));
  }
};
