import { BasePathMapping, DomainName, EndpointType, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import { basePathOf } from '../contract/paths.ts';
import type { Route } from '../contract/route.ts';
import { type RouteApi, rowsOf } from './route-api.ts';
import type { CustomDomain } from './settings.ts';

export interface ApiDomainProps {
  readonly api: Route['api'];
  readonly restApi: RouteApi;
  readonly domain: CustomDomain;
}

/** A custom domain in front of an API, with its certificate and DNS record. */
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
    for (const basePath of new Set(rowsOf(api).map(basePathOf))) {
      new BasePathMapping(this, `Path-${basePath}`, {
        domainName,
        restApi,
        ...(basePath === '' ? {} : { basePath }),
        stage: restApi.deploymentStage,
      });
    }
    const target = RecordTarget.fromAlias(new ApiGatewayDomain(domainName));
    new ARecord(this, 'Record', { zone, recordName: `${name}.`, target });
  }
}
