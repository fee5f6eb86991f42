import { readFileSync } from 'node:fs';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { servedBy } from '../../lib/contract/functions.ts';
import { type RouteId, routes } from '../../lib/contract/routes.ts';
import { decide, type Statement } from '../../lib/local/engines/iam.ts';
import { place } from '../../scripts/permissions/deployment.ts';
import { defaultStacks, type Resource, running } from './support/stacks.ts';

const stack = running(defaultStacks());
const apiIds = new Map(
  (['bus', 'portal'] as const).map(api => [
    stack.one('AWS::ApiGateway::RestApi', ({ Name }) => Name === `sombus-sandbox-${api}`).id,
    api,
  ]),
);
const apiOf = ({ Properties }: Resource) => apiIds.get(Properties.RestApiId.Ref);

const resources = new Map(
  stack.ofType('AWS::ApiGateway::Resource').map(entry => [entry.id, entry]),
);
/** The path of an API Gateway resource, from its parents. */
const pathOf = ({ Ref }: { readonly Ref?: string }): string => {
  const entry = resources.get(Ref ?? '');
  return entry ? `${pathOf(entry.Properties.ParentId)}/${entry.Properties.PathPart}` : '';
};

/** The function that a method runs, or whose released version. */
const functionOf = ({ Properties }: Resource): string => {
  const named = (id: string) => stack.resources.find(one => one.id === id)?.Properties;
  const target = Properties.Integration.Uri['Fn::Join'][1]
    .flatMap(
      (part: { readonly Ref?: string; readonly 'Fn::GetAtt'?: readonly string[] }) =>
        part.Ref ?? part['Fn::GetAtt']?.slice(0, 1) ?? [],
    )
    .map(named)
    .find((found: Resource['Properties'] | undefined) => found?.FunctionName);
  return target.FunctionVersion
    ? named(target.FunctionName.Ref)?.FunctionName
    : target.FunctionName;
};

const methods = stack.ofType('AWS::ApiGateway::Method');
const served = methods
  .filter(({ Properties }) => Properties.HttpMethod !== 'ANY')
  .map(entry => ({ entry, api: apiOf(entry), path: pathOf(entry.Properties.ResourceId) || '/' }));
const authTypes = { none: 'NONE', bearer: 'CUSTOM', sigv4: 'AWS_IAM' } as const;
const rows = Object.entries(routes).flatMap(([id, row]) =>
  (row.method === 'ANY' ? ['GET', 'POST'] : [row.method]).map(method => ({ id, ...row, method })),
);

describe('the APIs serve the route table', () => {
  it.each(rows)(
    '$method $path runs the function of $id',
    ({ id, api, method, path, auth, ...row }) => {
      const match = served.filter(
        found =>
          found.api === api &&
          found.path === (api === 'bus' ? `/${path.split('/').slice(2).join('/')}` : path) &&
          found.entry.Properties.HttpMethod === method,
      );
      expect(match).toHaveLength(1);
      const [{ entry }] = match as [(typeof match)[0]];
      expect(functionOf(entry)).toBe(`sombus-sandbox-${servedBy(id as RouteId)}`);
      expect(entry.Properties.AuthorizationType).toBe(authTypes[auth]);
      expect(entry.Properties.ApiKeyRequired ?? false).toBe('quota' in row);
      expect('quota' in row).toBe(auth === 'bearer');
      expect(entry.Properties.Integration).toMatchObject({
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
      });
    },
  );

  it('serves nothing else but HEAD where GET is served', () => {
    const heads = rows.filter(row => row.method === 'GET').length;
    expect(served.filter(({ entry }) => entry.Properties.HttpMethod === 'HEAD')).toHaveLength(
      heads,
    );
    expect(served).toHaveLength(rows.length + heads);
  });

  it('answers every other address and method with one function of each API', () => {
    const others = methods.filter(({ Properties }) => Properties.HttpMethod === 'ANY');
    expect(new Set(others.map(other => `${apiOf(other)}: ${functionOf(other)}`))).toEqual(
      new Set(['bus: sombus-sandbox-unrouted', 'portal: sombus-sandbox-portal-pages']),
    );
    // Each node of the two trees, their roots and the catch-all.
    expect(others).toHaveLength(resources.size + 2);
    expect(
      [...resources.values()].filter(({ Properties }) => Properties.PathPart === '{proxy+}'),
    ).toHaveLength(
      2 +
        rows.filter(
          ({ path, method }) =>
            path.endsWith('{proxy+}') && path !== '/{proxy+}' && method === 'GET',
        ).length,
    );
  });

  it('takes bodies as bytes, and usage-plan keys from the authoriser only', () => {
    for (const { Properties } of stack.ofType('AWS::ApiGateway::RestApi')) {
      expect(Properties).toMatchObject({
        BinaryMediaTypes: ['*/*'],
        ApiKeySourceType: 'AUTHORIZER',
      });
    }
  });

  it('lets roles of other accounts reach the signed routes', () => {
    const bus = stack.one('AWS::ApiGateway::RestApi', ({ Name }) => Name === 'sombus-sandbox-bus');
    expect(bus.Properties.Policy.Statement).toEqual([
      {
        Effect: 'Allow',
        Principal: { AWS: '*' },
        Action: 'execute-api:Invoke',
        Resource: 'execute-api:/v1/*',
      },
    ]);
  });

  it('roles of other accounts need the policy of the guide, which lets them through to what is theirs', () => {
    const guide = readFileSync('docs/guides/cloud-roles.md', 'utf8');
    const text = /```json\n(.+?)```/s.exec(guide)?.[1] ?? '{}';
    const { account, region } = place;
    const named = text
      .replaceAll('REGION', region)
      .replaceAll('ACCOUNT', account)
      .replaceAll('WORKSPACE', 'w1')
      .replaceAll('API', 'a1');
    const identity = JSON.parse(named).Statement as readonly Statement[];
    const invoke = (path: string, method: string) =>
      decide(
        {
          caller: { role: 'arn:aws:iam::999999999999:role/writer', account: '999999999999' },
          action: 'execute-api:Invoke',
          resource: `arn:aws:execute-api:${region}:${account}:a1/v1/${method}${path.replace('/v1', '').replace('{t}', 'w1')}`,
          context: {},
        },
        { identity },
      );
    const allowed = rows.filter(
      ({ api, path, method }) => api === 'bus' && invoke(path, method) === 'allowed',
    );
    expect(allowed.map(({ id }) => id).sort()).toEqual([
      'iam-publish',
      'iam-validate',
      'verify-principal',
    ]);
    expect(guide).toContain(
      `arn:aws:execute-api:REGION:ACCOUNT:API/v1/POST${routes['operator-publish'].path.replace('/v1', '')}`,
    );
  });

  it('who has no such policy is told so: not that the connection is unknown', () => {
    const { message } = response('bus', 'ACCESS_DENIED').body.violations[0];
    expect(message).toMatch(/before it reached the bus.*execute-api:Invoke/);
    expect(message).not.toBe(response('bus', 'INVALID_API_KEY').body.violations[0].message);
  });

  it('keeps the authoriser’s answers per Authorization header and path', () => {
    expect(stack.one('AWS::ApiGateway::Authorizer', () => true).Properties).toMatchObject({
      Type: 'REQUEST',
      IdentitySource: 'method.request.header.Authorization,context.path',
    });
  });
});

const responseTypes = Object.values(ResponseType)
  .filter((type): type is ResponseType => type instanceof ResponseType)
  .map(({ responseType }) => responseType);

const expected: Readonly<Record<string, readonly [number, string]>> = {
  ACCESS_DENIED: [403, 'producer.not_registered'],
  API_CONFIGURATION_ERROR: [503, 'bus.publish_failed'],
  AUTHORIZER_CONFIGURATION_ERROR: [503, 'registry.unavailable'],
  AUTHORIZER_FAILURE: [503, 'registry.unavailable'],
  BAD_REQUEST_BODY: [400, 'message.not_json'],
  BAD_REQUEST_PARAMETERS: [400, 'pull.invalid_parameter'],
  DEFAULT_4XX: [403, 'request.blocked'],
  DEFAULT_5XX: [503, 'bus.publish_failed'],
  EXPIRED_TOKEN: [401, 'producer.unauthenticated'],
  INTEGRATION_FAILURE: [503, 'bus.publish_failed'],
  INTEGRATION_TIMEOUT: [503, 'bus.publish_failed'],
  INVALID_API_KEY: [403, 'producer.not_registered'],
  INVALID_SIGNATURE: [401, 'producer.unauthenticated'],
  MISSING_AUTHENTICATION_TOKEN: [401, 'producer.unauthenticated'],
  QUOTA_EXCEEDED: [429, 'quota.exceeded'],
  REQUEST_TOO_LARGE: [413, 'message.too_large'],
  RESOURCE_NOT_FOUND: [404, 'route.not_found'],
  THROTTLED: [429, 'rate.limited'],
  UNAUTHORIZED: [401, 'producer.unauthenticated'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'message.unsupported_media_type'],
  WAF_FILTERED: [403, 'request.blocked'],
};

const response = (api: string, type: string) => {
  const found = stack
    .ofType('AWS::ApiGateway::GatewayResponse')
    .filter(entry => apiOf(entry) === api && entry.Properties.ResponseType === type);
  expect(found).toHaveLength(1);
  const { StatusCode, ResponseTemplates, ResponseParameters } = (found[0] as Resource).Properties;
  const parameter = (name: string) => ResponseParameters[`gatewayresponse.header.${name}`];
  return {
    status: Number(StatusCode),
    body: JSON.parse(ResponseTemplates['application/json']),
    parameter,
  };
};

describe('API Gateway’s own refusals have the service’s messages', () => {
  it.each(responseTypes)('%s on the bus', type => {
    const { status, body, parameter } = response('bus', type);
    expect([status, body.violations[0].rule]).toEqual(expected[type]);
    expect(body).toMatchObject({
      accepted: false,
      violations: [{ source: expect.any(String), message: expect.any(String) }],
    });
    // What may have reached a function is never said to have done nothing.
    const { rule, message } = body.violations[0];
    expect(/not known.*same message_id/.test(message)).toBe(rule === 'bus.publish_failed');
    expect(parameter('x-request-id')).toBe('context.requestId');
    expect(parameter('www-authenticate')).toBe(status === 401 ? "'Bearer'" : undefined);
    expect(parameter('Retry-After')).toBe(type === 'THROTTLED' ? "'1'" : undefined);
  });

  it.each(responseTypes)('%s on the portal', type => {
    const { status, body, parameter } = response('portal', type);
    const [expectedStatus, rule] = expected[type] ?? [];
    const here = rule === 'bus.publish_failed' ? 'registry.unavailable' : rule;
    expect([status, body.code]).toEqual([expectedStatus, here]);
    expect(Object.keys(body)).toEqual(['code', 'message']);
    expect(parameter('access-control-allow-origin')).toBeUndefined();
  });
});

describe('access logs', () => {
  const stages = stack.ofType('AWS::ApiGateway::Stage');

  it('are kept for both APIs, with tracing, and hold no header, query or body', () => {
    expect(stages).toHaveLength(2);
    for (const { Properties } of stages) {
      expect(Properties.TracingEnabled).toBe(true);
      const format = JSON.parse(Properties.AccessLogSetting.Format);
      expect(format.requestId).toBe('$context.requestId');
      expect(JSON.stringify(format)).not.toMatch(
        /header|querystring|body|apiKey|\$context\.path"/i,
      );
    }
  });

  it('are the only logs: execution logs and data traces are off', () => {
    for (const setting of stages.flatMap(({ Properties }) => Properties.MethodSettings)) {
      expect(setting.DataTraceEnabled).toBe(false);
      expect(setting.LoggingLevel).toBeUndefined();
    }
  });
});
