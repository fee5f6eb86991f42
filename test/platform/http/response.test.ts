import { violation } from '../../../lib/contract/refusals.ts';
import { routes } from '../../../lib/contract/routes.ts';
import {
  apiRefusal,
  catalogueError,
  errorResponse,
  limitedResponse,
  methodNotAllowed,
  notFound,
  oauthError,
  preflightResponse,
  refusalResponse,
  response,
  tooLargeResponse,
} from '../../../lib/platform/http/response.ts';

test('a refusal names its rule in the log, beside whom it is about', () => {
  const refused = violation('message.not_json', 'No JSON.');
  expect(refusalResponse({ violations: [refused] } as never, { connection: 'c1' })).toEqual({
    status: 400,
    headers: {},
    body: { accepted: false, violations: [refused] },
    log: { connection: 'c1', rule: 'message.not_json' },
  });
});

test('who is not known is told how to say who it is', () => {
  const unknown = violation('producer.unauthenticated', 'Who?');
  expect(refusalResponse({ violations: [unknown] } as never)).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer' },
    log: { rule: 'producer.unauthenticated' },
  });
  const refused = apiRefusal('bus', 'producer.unauthenticated', { headers: { 'x-own': '1' } });
  expect(refused).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer', 'x-own': '1' },
    log: { rule: 'producer.unauthenticated' },
  });
});

test.each([
  [0, '1'],
  [1_000, '1'],
  [1_001, '2'],
  [60_000, '60'],
])('who asks too much waits %i ms, told as %s whole seconds', (waitMilliseconds, seconds) => {
  const more = { 'x-own': '1' };
  const limited = limitedResponse('bus', { rule: 'rate.limited', waitMilliseconds }, more);
  expect(limited).toMatchObject({ status: 429, log: { rule: 'rate.limited' } });
  expect(limited.headers).toEqual({ 'retry-after': seconds, 'x-own': '1' });
});

test.each([
  ['invalid_request', 400],
  ['unsupported_grant_type', 400],
  ['invalid_client', 401],
  ['temporarily_unavailable', 503],
] as const)('the token endpoint answers %s with %i, which nobody keeps', (error, status) => {
  expect(oauthError(error, 'Why.', { 'x-own': '1' })).toEqual({
    status,
    headers: { 'cache-control': 'no-store', pragma: 'no-cache', 'x-own': '1' },
    body: { error, error_description: 'Why.' },
    log: { rule: error },
  });
});

const open = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, x-request-id',
};

test('a response has nothing but what it is given', () => {
  expect(response(200, 'a')).toEqual({ status: 200, headers: {}, body: 'a', log: {} });
});

test('skills.unreadable: any page may read what is wrong with a skill', () => {
  expect(catalogueError('skills.unreadable', 'Why.')).toEqual({
    status: 400,
    headers: open,
    body: { code: 'skills.unreadable', message: 'Why.' },
    log: { rule: 'skills.unreadable' },
  });
});

test('route.method_not_allowed: the methods are those of all rows, open if one of them is', () => {
  const of = (...ids: readonly (keyof typeof routes)[]) =>
    methodNotAllowed(
      'portal',
      ids.map(id => routes[id]),
    );
  expect(of('docs')).toMatchObject({ status: 405, log: { rule: 'route.method_not_allowed' } });
  expect(of('docs').headers).toEqual({ allow: 'GET, HEAD' });
  expect(of('docs', 'skill-validate').headers).toEqual({
    ...open,
    allow: 'GET, HEAD, POST, OPTIONS',
  });
});

test('route.not_found: a path that is nearly a route is told which', () => {
  expect(notFound('bus', '/v1//health').body).toMatchObject({
    violations: [{ message: 'The service has no route at this URL; it has one at /v1/health.' }],
  });
  expect(notFound('portal', '/nothing')).toMatchObject({
    status: 404,
    body: { code: 'route.not_found' },
  });
});

describe('an error behind a route', () => {
  const words =
    'The credentials could not be checked, or the token could not be signed. Retry with backoff.';

  test.each([
    [undefined, words],
    ['Later.', 'Later.'],
  ])('of tokens is told as %s', (message, error_description) => {
    expect(errorResponse('token', message)).toMatchObject({
      status: 503,
      headers: { 'cache-control': 'no-store' },
      body: { error: 'temporarily_unavailable', error_description },
    });
  });

  test('may be read by any page where the route may', () => {
    expect(errorResponse('skill-library', 'Later.')).toMatchObject({
      status: 503,
      headers: open,
      body: { code: 'registry.unavailable', message: 'Later.' },
    });
    expect(errorResponse('docs').headers).toEqual({});
  });
});

test.each([
  ['token', 400, { error: 'invalid_request' }],
  ['skill-validate', 400, { code: 'skills.unreadable' }],
  ['portal-call', 413, { code: 'message.too_large' }],
  ['ack', 413, { violations: [{ rule: 'message.too_large' }] }],
] as const)('a body that is too large for %s is a %i', (route, status, body) => {
  expect(tooLargeResponse(route)).toMatchObject({ status, body });
  expect(JSON.stringify(tooLargeResponse(route).body)).toMatch(/is larger than [\d,]+ bytes/);
});

test('a browser is told which methods it may use', () => {
  const { status, headers, body } = preflightResponse(['GET', 'HEAD', 'OPTIONS']);
  expect([status, body]).toEqual([204, undefined]);
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  });
});
