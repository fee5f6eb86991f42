import { type RouteId, routes } from '../../../lib/contract/routes.ts';
import {
  type Arrival,
  authoriserEvent,
  matchRoute,
  proxyEvent,
  requestTarget,
} from '../../../lib/platform/http/gateway-event.ts';

test.each([
  ['/a?b=1', '/a', 'b=1'],
  ['/a?b=1?c', '/a', 'b=1?c'],
  ['/%61//b/../c', '/%61//b/../c', ''],
  ['http://bus.example:1/a?b', '/a', 'b'],
  ['HTTPS://bus.example', '/', ''],
  ['http://bus.example?b', '/', 'b'],
  ['?b', '/', 'b'],
  ['', '/', ''],
  ['/to/http://bus.example/', '/to/http://bus.example/', ''],
])('the target %j has the path %j and the query %j', (target, path, query) => {
  expect(requestTarget(target)).toEqual({ path, query });
});

describe('the route of a request', () => {
  test.each<['bus' | 'portal', string, string, RouteId, Record<string, string>]>([
    ['bus', 'GET', '/v1/health', 'health', {}],
    ['bus', 'HEAD', '/v1/health', 'health', {}],
    ['bus', 'GET', '//v1///health/', 'health', {}],
    ['bus', 'POST', '/v1/tenants/w/messages', 'publish', { t: 'w' }],
    ['bus', 'POST', '/v1/tenants/a%2Fb%20c/messages', 'publish', { t: 'a/b c' }],
    ['bus', 'GET', '/v1/tenants/w/consumers/k/messages', 'pull', { t: 'w', c: 'k' }],
    ['portal', 'GET', '/', 'portal', {}],
    ['portal', 'GET', '/some/page', 'portal-page', { proxy: 'some/page' }],
    ['portal', 'GET', '/docs', 'docs', {}],
    ['portal', 'GET', '/docs/rules/a', 'docs-page', { proxy: 'rules/a' }],
    ['portal', 'GET', '/api/skills/library', 'skill-library', {}],
    ['portal', 'POST', '/api/some/call', 'portal-call', { proxy: 'some/call' }],
  ])('%s: %s %s is that of %s', (api, method, path, id, pathParameters) => {
    expect(matchRoute(api, method, path)).toEqual({ kind: 'route', id, pathParameters });
  });

  test.each<['bus' | 'portal', string, string]>([
    ['bus', 'GET', '/v1/nothing'],
    ['bus', 'GET', '/v1/health/more'],
    ['bus', 'GET', '/docs'],
    ['portal', 'GET', '/v1/health/%'],
    ['bus', 'POST', '/v1/tenants/%/messages'],
    // Only the route of whatever is left fits, and it has pages only.
    ['portal', 'POST', '/nothing'],
  ])('%s: %s %s is none', (api, method, path) => {
    expect(matchRoute(api, method, path)).toEqual({ kind: 'not_found' });
  });

  test.each<['bus' | 'portal', string, string, readonly RouteId[]]>([
    ['bus', 'GET', '/v1/tenants/w/validate', ['validate']],
    ['portal', 'POST', '/docs', ['docs']],
    ['portal', 'POST', '/docs/rules/a', ['docs-page']],
    ['portal', 'DELETE', '/api/skills/library', ['skill-library']],
  ])('%s: %s %s is served by other methods', (api, method, path, ids) => {
    expect(matchRoute(api, method, path)).toMatchObject({
      kind: 'method_not_allowed',
      rows: ids.map(id => routes[id]),
    });
  });

  test('has all methods of its address', () => {
    const found = matchRoute('bus', 'DELETE', '/v1/tenants/w/checks');
    const methods = 'rows' in found ? found.rows.map(({ method }) => method) : [];
    expect([...methods].sort()).toEqual(['GET', 'POST']);
  });

  test.each([
    ['/api/skills/library', ['GET', 'HEAD', 'OPTIONS']],
    ['/api/skills/validate', ['POST', 'OPTIONS']],
  ])('OPTIONS %s is asked by a browser beforehand', (path, allow) => {
    expect(matchRoute('portal', 'OPTIONS', path)).toEqual({ kind: 'preflight', allow });
  });
});

describe('the event of a request', () => {
  const arrival: Arrival = {
    route: 'publish',
    method: 'POST',
    target: { path: '/v1/tenants/w/messages', query: 'a=1&b=2&a=3%20' },
    pathParameters: { t: 'w' },
    headers: [
      ['Accept', 'x'],
      ['X-Own', '1'],
      ['Accept', 'y'],
    ],
    requestId: 'r1',
  };

  const event = {
    resource: '/tenants/{t}/messages',
    path: '/v1/tenants/w/messages',
    httpMethod: 'POST',
    headers: { Accept: 'y', 'X-Own': '1' },
    multiValueHeaders: { Accept: ['x', 'y'], 'X-Own': ['1'] },
    queryStringParameters: { a: '3 ', b: '2' },
    multiValueQueryStringParameters: { a: ['1', '3 '], b: ['2'] },
    pathParameters: { t: 'w' },
    stageVariables: null,
    requestContext: {
      authorizer: { connection: 'c1' },
      httpMethod: 'POST',
      identity: { userArn: 'arn:aws:iam::1:role/r' },
      path: '/v1/tenants/w/messages',
      requestId: 'r1',
      resourcePath: '/tenants/{t}/messages',
      stage: 'v1',
    },
    body: null,
    isBase64Encoded: false,
  };

  test('is as API Gateway passes it to a function', () => {
    const caller = { context: { connection: 'c1' }, signer: 'arn:aws:iam::1:role/r' };
    expect(proxyEvent(arrival, caller)).toEqual(event);
  });

  test('may have a single parameter', () => {
    const target = { path: '/docs', query: 'a=1' };
    expect(proxyEvent({ ...arrival, target }, {})).toMatchObject({
      queryStringParameters: { a: '1' },
      multiValueQueryStringParameters: { a: ['1'] },
    });
  });

  test('has null for what it has not', () => {
    const target = { path: '/docs', query: '' };
    const plain = { ...arrival, route: 'docs', method: 'GET', target, headers: [] } as const;
    expect(proxyEvent(plain, {})).toMatchObject({
      resource: '/docs',
      headers: {},
      multiValueHeaders: {},
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      requestContext: { authorizer: undefined, identity: { userArn: null }, stage: 'app' },
    });
  });

  test('is passed to an authoriser before anybody is known', () => {
    expect(authoriserEvent(arrival)).toEqual({
      ...event,
      requestContext: {
        ...event.requestContext,
        authorizer: undefined,
        identity: { userArn: null },
      },
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:local:000000000000:local/local/POST/v1/tenants/w/messages',
    });
  });
});
