import type { RouteId } from '../../lib/contract/routes.ts';
import { mustStillRead } from '../../lib/platform/aws/table.ts';
import { response } from '../../lib/platform/http/response.ts';
import type { Env } from '../../lib/wiring/env.ts';
import { lambda, type RouteFunction } from '../../lib/wiring/function.ts';
import { proxyEvent } from '../support/proxy-event.ts';

const origin = 'https://bus.example';
const quiet = { answered: () => undefined, failed: () => undefined };

test.each<[string, Env, object]>([
  [
    'on AWS',
    { SOMBUS_ORIGIN: origin, SOMBUS_PORTAL_PATH: '/app', AWS_REGION: 'eu-west-1' },
    { origin, portalPath: '/app', isLocal: false, region: 'eu-west-1' },
  ],
  [
    'on a laptop',
    { SOMBUS_ORIGIN: origin, SOMBUS_LOCAL_SERVICE: 'true' },
    { origin, portalPath: '', isLocal: true, region: '' },
  ],
])('a route knows where it is: %s', async (_, env, expected) => {
  const seen: unknown[] = [];
  const served: RouteFunction<'health'> = {
    route: 'health',
    ports: {},
    edge: (_ports, settings) => {
      seen.push(settings);
      return async () => response(200, {});
    },
  };
  await lambda(served, env, quiet)(proxyEvent({ httpMethod: 'GET' }));
  expect(seen).toEqual([expected]);
});

describe('a request that changes nothing ends when there is no time left to answer it', () => {
  const statusOf = async (route: RouteId, httpMethod: string, left: number | undefined) => {
    const edge = () => async () => {
      await mustStillRead();
      return response(200, {});
    };
    const run = lambda({ route, edge, ports: {} } as never, { SOMBUS_ORIGIN: origin }, quiet);
    const context = left === undefined ? undefined : { getRemainingTimeInMillis: () => left };
    return (await run(proxyEvent({ httpMethod }), context)).statusCode;
  };

  test.each<[RouteId, string, number | undefined, number]>([
    ['message', 'GET', 499, 503],
    ['message', 'GET', 500, 200],
    ['message', 'GET', undefined, 200],
    // It would hide what it received.
    ['pull', 'GET', 499, 200],
    ['publish', 'POST', 499, 200],
    ['ack', 'POST', 499, 200],
  ])('%s by %s with %s milliseconds left: %i', async (route, method, left, status) => {
    expect(await statusOf(route, method, left)).toBe(status);
  });
});
