import { unrouted } from '../../lib/http/respond.ts';
import { proxyEvent } from '../support/proxy-event.ts';

const request = (stage: string, httpMethod: string, resource: string) =>
  unrouted(proxyEvent({ httpMethod, resource, requestContext: { stage } }));

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
    expect(request('api', 'GET', '/{proxy+}')).toMatchObject({
      status: 404,
      body: { code: 'route.not_found', message: 'The service has no route at this address.' },
    });
  });

  it.each([
    ['v1', 'GET', '/oauth/token', 'POST'],
    ['v1', 'DELETE', '/tenants/{t}/consumers/{c}/messages', 'GET, HEAD'],
    ['v1', 'OPTIONS', '/tenants/{t}/messages', 'POST'],
    ['api', 'DELETE', '/skills/library', 'GET, HEAD, OPTIONS'],
  ])('route.method_not_allowed: %s %s %s allows %s', (stage, method, resource, allow) => {
    expect(request(stage, method, resource)).toMatchObject({ status: 405, headers: { allow } });
  });

  it.each([
    ['/v1//health', '/v1/health'],
    ['/v1/tenants/w//messages/', '/v1/tenants/w/messages'],
  ])('route.not_found: %s, which says that %s was meant', (path, meant) => {
    const answer = unrouted(
      proxyEvent({ httpMethod: 'GET', resource: '/{proxy+}', requestContext: { stage: 'v1', path } }),
    );
    expect(answer).toMatchObject({
      status: 404,
      body: { violations: [{ message: expect.stringMatching(` at ${meant}\\.$`) }] },
    });
  });

  it('route.not_found: an address that is no route without its slashes either', () => {
    const answer = unrouted(
      proxyEvent({
        httpMethod: 'GET',
        resource: '/{proxy+}',
        requestContext: { stage: 'v1', path: '/v1//nope' },
      }),
    );
    expect(answer.body).toMatchObject({
      violations: [{ message: 'The service has no route at this address.' }],
    });
  });

  it('a preflight of a catalogue route is answered', () => {
    expect(request('api', 'OPTIONS', '/skills/validate')).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-methods': 'POST, OPTIONS' },
    });
  });
});
