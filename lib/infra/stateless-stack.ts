import { type App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { IdentitySource, RequestAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import type { Construct } from 'constructs';
import { pathBefore, stages } from '../contract/addresses.ts';
import { type EnvironmentName, envVars, resourceNames } from '../contract/environments.ts';
import {
  authoriserPorts,
  type FunctionId,
  type FunctionSize,
  functionIds,
  functionSizes,
  jobs,
  releasedIds,
  tracedPulls,
} from '../contract/functions.ts';
import { limits } from '../contract/limits.ts';
import type { PortAccess } from '../contract/ports.ts';
import type { Route } from '../contract/route.ts';
import { AccessLogRole } from './access-log.ts';
import { ApiDomain } from './api-domain.ts';
import { Firewall } from './firewall.ts';
import { type PortGrants, portGrants } from './port-grants.ts';
import { Release } from './release.ts';
import { RouteApi, routeRows, rowsOf, TierPlans } from './route-api.ts';
import { ScheduledJob, ServiceFunction } from './service-function.ts';
import { environmentNames, placeOf, type Settings, settingsOf } from './settings.ts';
import { signInVariables } from './sign-in.ts';
import { ServedTable, StatefulStack } from './stateful-stack.ts';
import { Watch } from './watch.ts';

type Functions = Readonly<Record<FunctionId, ServiceFunction>>;

/** What a function may use. */
const portsOf = (id: FunctionId): readonly PortAccess[] =>
  id === 'authoriser' ? authoriserPorts : (routeRows.find(row => row.id === id)?.ports ?? []);

const makeFunctions = (stack: Stack, environment: Settings['environment']): Functions => {
  const made: Partial<Record<FunctionId, ServiceFunction>> = {};
  for (const name of functionIds) {
    const size: FunctionSize = functionSizes[name];
    const mark = portsOf(name).includes('signer.sign')
      ? { rolePath: resourceNames(environment).signerPath }
      : {};
    made[name] = new ServiceFunction(stack, `function-${name}`, { name, environment, size, ...mark });
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
    const served = {
      registry: new ServedTable(this, settings, 'registry'),
      ledger: new ServedTable(this, settings, 'ledger'),
      activity: new ServedTable(this, settings, 'activity'),
      sessions: new ServedTable(this, settings, 'sessions'),
      signingKey: state.signingKey,
    };
    const grants = portGrants(this, served);
    for (const id of functionIds) for (const port of portsOf(id)) grants[port].grantTo(functions[id]);
    const released = this.release(environment, functions);
    const bus = this.busApi(settings, released);
    const portal = new RouteApi(this, 'PortalApi', { api: 'portal', settings, functions: released });
    const origins = {
      bus: this.origin(bus, settings.domain?.bus),
      portal: this.origin(portal, settings.domain?.portal),
    };
    const portalPath = settings.domain ? '' : pathBefore('portal');
    this.tellAddresses(functions, origins.bus, portalPath);
    const address = origins.portal + portalPath;
    const signIn = signInVariables(this, settings, { pool: state.people, address });
    for (const [name, value] of Object.entries(signIn)) functions['portal-sign'].addEnvironment(name, value);
    this.sampleTraces(environment, bus);
    this.protect({ bus, portal }, settings);
    new TierPlans(this, 'TierPlans', { api: bus, environment });
    const failures = this.schedule(environment, grants);
    new Watch(this, 'Watch', {
      environment,
      bus,
      portal,
      token: functions.token,
      tables: served,
      failures,
      ...(settings.alarmAddress ? { alarmAddress: settings.alarmAddress } : {}),
      ...(settings.monthlyDollars ? { monthlyDollars: settings.monthlyDollars } : {}),
    });
    new CfnOutput(this, 'BaseUrl', { value: `${origins.bus}/${stages.bus}` });
    new CfnOutput(this, 'SignedRoutesArn', { value: bus.arnForExecuteApi('POST', '/*', stages.bus) });
    new CfnOutput(this, 'PortalUrl', { value: address });
  }

  /** What requests go to: aliases, if a function is released step by step. Jobs are not: a failed run is kept, and the next one continues. */
  private release(
    environment: EnvironmentName,
    functions: Functions,
  ): Readonly<Record<FunctionId, IFunction>> {
    const release = new Release(this, 'Release', environment);
    const aliases = functionIds.map(id => [
      id,
      releasedIds.includes(id) ? release.of(functions[id], id) : functions[id],
    ]);
    return Object.fromEntries(aliases) as Record<FunctionId, IFunction>; // one for each id
  }

  private busApi(settings: Settings, functions: Readonly<Record<FunctionId, IFunction>>): RouteApi {
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
    new Firewall(this, 'Firewall', { environment, apis });
    for (const api of ['bus', 'portal'] as const) {
      const restApi = apis[api];
      restApi.deploymentStage.node.addDependency(account);
      if (domain) new ApiDomain(this, `Domain-${api}`, { api, restApi, domain });
    }
  }

  private schedule(environment: Settings['environment'], grants: PortGrants): readonly Queue[] {
    return Object.entries(jobs).map(
      ([name, job]) => new ScheduledJob(this, `Job-${name}`, { name, job, environment, grants }).failures,
    );
  }

  /** By default, X-Ray records the first request of every second: all that a waiting consumer makes. */
  private sampleTraces(environment: EnvironmentName, bus: RouteApi): void {
    new CfnSamplingRule(this, 'PullTraces', {
      samplingRule: {
        ruleName: `${resourceNames(environment).stack}-pull`,
        version: 1,
        priority: 100,
        fixedRate: tracedPulls,
        reservoirSize: 0,
        httpMethod: 'GET',
        urlPath: '*/consumers/*/messages',
        resourceArn: bus.deploymentStage.stageArn,
        host: '*',
        serviceName: '*',
        serviceType: '*',
      },
    });
  }

  private origin(api: RouteApi, domain: string | undefined): string {
    return `https://${domain ?? `${api.restApiId}.execute-api.${this.region}.${this.urlSuffix}`}`;
  }

  /** Every function knows the bus's address; those of the portal also know what stands before its paths. */
  private tellAddresses(functions: Functions, bus: string, portalPath: string): void {
    const ids = [...routeRows.map(({ id }) => id), 'authoriser'] as const;
    for (const id of ids) functions[id].tell({ [envVars.origin]: bus });
    if (portalPath === '') return;
    for (const { id } of rowsOf('portal')) functions[id].tell({ [envVars.portalPath]: portalPath });
  }
}

/** Adds the stacks of every environment, or of some, to an app. */
export const addEnvironments = (app: App, names: readonly EnvironmentName[] = environmentNames): void => {
  for (const environment of names) {
    const settings = settingsOf(app.node, environment);
    const state = new StatefulStack(app, settings);
    // The tables are known by their names: only this says that they come first.
    new StatelessStack(app, settings, state).addStackDependency(state);
  }
};
