import { unrouted } from '../../../lib/platform/http/respond.ts';
import { proxyEvent } from '../../support/proxy-event.ts';

const request = (stage: string, httpMethod: string, resource: string, path = '/x') =>
  unrouted(proxyEvent({ httpMethod, resource, requestContext: { stage, path } }));

/** What the 404 for a path says. */
const told = (stage: string, path: string): string => {
  const { status, body } = request(stage, 'GET', '/{proxy+}', path);
  expect(status).toBe(404);
  return JSON.stringify(body);
};

describe('an address that is no route', () => {
  it('route.not_found: an unknown address of the bus', () => {
    expect(request('v1', 'GET', '/{proxy+}')).toMatchObject({
      status: 404,
      body: { accepted: false, violations: [{ rule: 'route.not_found' }] },
    });
  });

  it('route.not_found: a path that only leads to routes', () => {
    expect(request('v1', 'POST', '/tenants/{t}').status).toBe(404);
  });

  it('route.not_found: an unknown address of the portal, in the catalogue’s shape', () => {
    expect(request('app', 'GET', '/{proxy+}')).toMatchObject({
      status: 404,
      body: { code: 'route.not_found', message: 'The service has no route at this URL.' },
    });
  });

  it.each([
    ['v1', 'GET', '/oauth/token', 'POST'],
    ['v1', 'DELETE', '/tenants/{t}/consumers/{c}/messages', 'GET, HEAD'],
    ['v1', 'OPTIONS', '/tenants/{t}/messages', 'POST'],
    ['app', 'DELETE', '/api/skills/library', 'GET, HEAD, OPTIONS'],
  ])('route.method_not_allowed: %s %s %s allows %s', (stage, method, resource, allow) => {
    expect(request(stage, method, resource)).toMatchObject({ status: 405, headers: { allow } });
  });

  it.each([
    ['app', '/api/skills/library', '*'],
    ['app', '/api/skills/validate', '*'],
    ['app', '/docs', undefined],
    ['v1', '/health', undefined],
  ])(
    'route.method_not_allowed: pages of other origins may read that of %s %s: %s',
    (stage, resource, origin) => {
      const { status, headers = {} } = request(stage, 'DELETE', resource);
      expect([status, headers['access-control-allow-origin']]).toEqual([405, origin]);
    },
  );

  it.each([
    ['v1', '/v1//health', '/v1/health'],
    ['v1', '/v1/tenants/w//messages/', '/v1/tenants/w/messages'],
    ['app', '/app//docs', '/app/docs'],
    ['app', '//docs', '/docs'],
  ])('route.not_found: %s %s, which says that %s was meant', (stage, path, meant) => {
    expect(told(stage, path)).toContain(` at ${meant}."`);
  });

  it.each([
    ['/oauth/token', '/v1/oauth/token'],
    ['/tenants/w/messages/', '/v1/tenants/w/messages'],
  ])(
    'route.not_found: %s, which a relative URL made of a base URL without its slash',
    (path, meant) => {
      const words = ` did you mean ${meant}? The base URL needs a final slash for relative URLs."`;
      expect(told('v1', path)).toContain(words);
    },
  );

  it('route.not_found: a base URL to which a program added the /v1 that it has', () => {
    const words = 'The service has no route at this URL: /v1 is there twice. This program adds it';
    expect(told('v1', '/v1/v1/oauth/token')).toContain(words);
  });

  it('route.not_found: an address that is no route without its slashes either', () => {
    expect(told('v1', '/v1//nope')).toContain('"The service has no route at this URL."');
  });

  it('a preflight of a catalogue route is answered', () => {
    expect(request('app', 'OPTIONS', '/api/skills/validate')).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-methods': 'POST, OPTIONS' },
    });
  });
});
