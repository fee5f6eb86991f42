import { Stack } from 'aws-cdk-lib';
import {
  BasePathMapping,
  DomainName,
  EndpointType,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import { resourceNames } from '../contract/environments.ts';
import {
  type FunctionId,
  functionIds,
  functionSizes,
  type PortAccess,
  releasedIds,
  rowlessFunctions,
  servedBy,
  unroutedIds,
} from '../contract/functions.ts';
import { basePathOf } from '../contract/paths.ts';
import type { Api } from '../contract/route.ts';
import type { TableName } from '../contract/tables.ts';
import { type PortGrants, portGrants } from './port-grants.ts';
import { Release } from './release.ts';
import { type RouteApi, routeRows, rowsOf } from './route-api.ts';
import { FunctionLog, ServiceFunction } from './service-function.ts';
import { type Settings, stackPlaceOf } from './settings.ts';
import { ServedTable, type StatefulStack } from './stateful-stack.ts';

const rowsServedBy = (id: FunctionId) => routeRows.filter(row => servedBy(row.id) === id);

const factsOf = (id: FunctionId): { api: Api; ports: readonly PortAccess[] } => {
  if (id === 'authoriser' || id === 'limited-requests') return rowlessFunctions[id];
  const rows = rowsServedBy(id);
  return { api: rows[0]?.api ?? 'bus', ports: [...new Set(rows.flatMap(({ ports }) => ports))] };
};

/**
 * The functions behind one API, each with the grants of its row, and what else a stack of functions
 * is made of. It holds no state and can be replaced at any time.
 */
export abstract class ApiStack extends Stack {
  protected readonly settings: Settings;
  protected readonly tables: Readonly<Record<TableName, ServedTable>>;
  protected readonly log: FunctionLog;
  readonly #api: Api;
  readonly #grants: PortGrants;
  readonly #functions: ReadonlyMap<FunctionId, ServiceFunction>;

  constructor(
    scope: Construct,
    api: Api,
    { settings, state }: { settings: Settings; state: StatefulStack },
  ) {
    const { environment } = settings;
    super(scope, resourceNames(environment).api(api), {
      ...stackPlaceOf(settings),
      description: `som-bus ${environment}: the API of the ${api} and its functions`,
    });
    this.#api = api;
    this.settings = settings;
    const table = (name: TableName) => new ServedTable(this, settings, name);
    this.tables = {
      registry: table('registry'),
      ledger: table('ledger'),
      activity: table('activity'),
      sessions: table('sessions'),
    };
    this.#grants = portGrants(this, {
      ...this.tables,
      environment,
      signingKey: state.signingKey,
      mailFrom: settings.mailFrom,
    });
    this.log = new FunctionLog(this, settings, api);
    const ids = functionIds.filter(id => factsOf(id).api === api);
    this.#functions = new Map(ids.map(id => [id, this.make(id)]));
  }

  protected functionOf(id: FunctionId): ServiceFunction {
    const found = this.#functions.get(id);
    if (!found) throw new Error(`The stack of the ${this.#api} has no function ${id}.`);
    return found;
  }

  /** What requests go to: aliases, if a function is released step by step. */
  protected release(): (id: FunctionId) => IFunction {
    const functions = new Map([...this.#functions].filter(([id]) => releasedIds.includes(id)));
    const { log } = this;
    const release = new Release(this, `Release-${this.#api}`, {
      ...this.settings,
      api: this.#api,
      functions,
      log,
    });
    return id => release.of(id) ?? this.functionOf(id);
  }

  /** The origin at which an API is reached: its domain, or API Gateway's own. */
  protected originOf(restApi: RouteApi): string {
    const domain = this.settings.domain?.[this.#api];
    return `https://${domain ?? `${restApi.restApiId}.execute-api.${this.region}.${this.urlSuffix}`}`;
  }

  /**
   * A custom domain in front of the API, with its certificate and DNS record, if the settings have
   * one.
   */
  protected addDomain(restApi: RouteApi): void {
    const { domain } = this.settings;
    if (!domain) return;
    const scope = new Construct(this, `Domain-${this.#api}`);
    const name = domain[this.#api];
    const zone = HostedZone.fromHostedZoneAttributes(scope, 'Zone', domain.zone);
    const certificate = new Certificate(scope, 'Certificate', {
      domainName: name,
      validation: CertificateValidation.fromDns(zone),
    });
    const domainName = new DomainName(scope, 'Name', {
      domainName: name,
      certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    for (const basePath of new Set(rowsOf(this.#api).map(basePathOf)))
      new BasePathMapping(scope, `Path-${basePath}`, {
        domainName,
        restApi,
        ...(basePath !== '' && { basePath }),
        stage: restApi.deploymentStage,
      });
    const target = RecordTarget.fromAlias(new ApiGatewayDomain(domainName));
    new ARecord(scope, 'Record', { zone, recordName: `${name}.`, target });
  }

  /** Sets variables of all functions but the one behind all other addresses, which needs none. */
  protected tellAll(variables: Parameters<ServiceFunction['tell']>[0]): void {
    for (const [id, served] of this.#functions) if (id !== unroutedIds.bus) served.tell(variables);
  }

  private make(name: FunctionId): ServiceFunction {
    const { environment } = this.settings;
    const { ports } = factsOf(name);
    const made = new ServiceFunction(this, `function-${name}`, {
      name,
      environment,
      size: functionSizes[name],
      log: this.log,
      files: name === 'portal-pages' ? ['lib/generated/docs-site.generated.json'] : [],
      ...(ports.includes('signer.sign') && { rolePath: resourceNames(environment).signerPath }),
      hasPoliciesForTables: name === 'portal-call',
    });
    this.grant(made, ports);
    return made;
  }

  protected grant(target: ServiceFunction, ports: readonly PortAccess[]): void {
    for (const grant of ports.flatMap(this.#grants)) grant(target);
  }
}
