import type { RouteId } from '../../lib/contract/routes.ts';
import { mustStillRead } from '../../lib/platform/aws/table.ts';
import { response } from '../../lib/platform/http/response.ts';
import type { Env } from '../../lib/wiring/env.ts';
import {
  lambda,
  type RouteFunction,
  type RunContext,
  sharedLambda,
} from '../../lib/wiring/function.ts';
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

describe('a function behind several routes', () => {
  const context: RunContext = { getRemainingTimeInMillis: () => 7 };
  const asked: unknown[] = [];
  const handler = sharedLambda({
    docs: async (...given) => {
      asked.push(given);
      return { statusCode: 200, body: 'docs' };
    },
  });
  const answerTo = async (httpMethod: string, stage: string, resource: string) => {
    const at = { stage, path: resource, requestId: 'request-7' };
    const event = proxyEvent({ httpMethod, resource, path: resource, requestContext: at });
    return { event, answer: await handler(event, context) };
  };

  test('answers a request with the one of its route', async () => {
    const { event, answer } = await answerTo('GET', 'app', '/docs');
    expect(answer).toEqual({ statusCode: 200, body: 'docs' });
    expect(asked).toEqual([[event, context]]);
  });

  test.each([
    ['POST', 'app', '/docs', 405],
    ['GET', 'v1', '/docs', 404],
    ['GET', 'app', '/{proxy+}', 404],
    ['GET', 'app', '/nowhere', 404],
  ])('refuses %s at %s%s, where it has no route', async (method, stage, resource, status) => {
    const { answer } = await answerTo(method, stage, resource);
    expect(answer).toMatchObject({ statusCode: status, headers: { 'x-request-id': 'request-7' } });
  });
});
