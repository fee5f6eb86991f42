import { readFileSync } from 'node:fs';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { methodsOf } from '../../lib/contract/paths.ts';
import type { Route } from '../../lib/contract/route.ts';
import { describedRoutes, routes } from '../../lib/contract/routes.ts';
import { rules } from '../../lib/contract/rules.ts';
import descriptions from '../../lib/generated/openapi.generated.json';
import { descriptionFiles } from '../../scripts/descriptions/files.ts';
import { operations } from '../../scripts/descriptions/operations.ts';
import { describedPath } from '../../scripts/descriptions/paths.ts';
import { basic, bearer, call } from '../support/http-client.ts';
import { oneService } from '../support/one-service.ts';

test.each([...descriptionFiles().keys()])('%s says what the code says (npm run generate)', path => {
  expect(readFileSync(path, 'utf8')).toBe(descriptionFiles().get(path));
});

test('every route and method is described, and nothing else', () => {
  const described = Object.values(descriptions).flatMap(({ paths }) =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map(method => `${method} ${path}`),
    ),
  );
  const rows: readonly Route[] = Object.values(describedRoutes);
  const served = rows.flatMap(row =>
    methodsOf(row).map(method => `${method.toLowerCase()} ${describedPath(row.path)}`),
  );
  expect(described.sort()).toEqual(served.sort());
});

test('every rule that answers a request stands in a description', () => {
  const text = JSON.stringify(descriptions);
  const absent = Object.keys(rules).filter(rule => !text.includes(`"${rule}"`));
  expect(absent).toEqual([]);
});

describe('against the local service', () => {
  const bus = oneService('--no-limits');

  type Content = Readonly<
    Record<string, { examples?: Readonly<Record<string, { value: unknown }>> }>
  >;
  const examples = Object.entries(operations).flatMap(([route, { requestBody }]) =>
    Object.entries((requestBody?.['content'] ?? {}) as Content).flatMap(
      ([type, { examples = {} }]) =>
        Object.entries(examples).map(([name, { value }]) => ({ route, type, name, value })),
    ),
  );

  const authorizationOf = (route: string, base_url: string): Promise<string> | string => {
    const { producer, consumer } = bus.ready;
    if (route === 'token') return basic(producer);
    return bearer(base_url, route === 'ack' || route === 'nack' ? consumer : producer);
  };

  const unsigned: readonly string[] = Object.entries(routes)
    .filter(([, { auth }]) => auth === 'sigv4')
    .map(([id]) => id);

  test.each(examples)(
    'the example $name ($type) of $route gets a described answer',
    async example => {
      const { base_url, portal_url, workspace, consumer } = bus.ready;
      const row: Route = routes[example.route as keyof typeof routes];
      const path = row.path.replace('{t}', workspace).replace('{c}', consumer.client_id);
      const form = example.type === 'application/x-www-form-urlencoded';
      const body = form
        ? new URLSearchParams(example.value as Record<string, string>).toString()
        : typeof example.value === 'string'
          ? example.value
          : JSON.stringify(example.value);
      const origin = row.api === 'bus' ? new URL(base_url).origin : portal_url;
      const { status } = await call(origin + path, {
        method: row.method,
        headers: {
          'content-type': example.type,
          ...(row.api === 'bus'
            ? { authorization: await authorizationOf(example.route, base_url) }
            : {}),
        },
        body,
      });
      // Signed routes get a bearer here: they have end-to-end tests with a signer of their own.
      expect(unsigned.includes(example.route) ? 401 : [200, 201, 202]).toEqual(
        unsigned.includes(example.route) ? status : expect.arrayContaining([status]),
      );
    },
  );

  /** The example of what a path returns for GET with 200. */
  const shown = <T>(path: string): T => {
    const paths: Readonly<Record<string, object>> = {
      ...descriptions.bus.paths,
      ...descriptions.portal.paths,
    };
    const { get } = paths[path] as { get: { responses: { 200: { content: Content } } } };
    const [example] = Object.values(get.responses[200].content['application/json']?.examples ?? {});
    return example?.value as T;
  };

  test.each(['health', 'oauth-metadata'] as const)(
    'the response of %s is shown as it is',
    async route => {
      const { path } = routes[route];
      const { origin } = new URL(bus.ready.base_url);
      const { body } = await call(origin + path);
      expect(
        JSON.parse(JSON.stringify(shown(path)).replaceAll('http://127.0.0.1:8787', origin)),
      ).toEqual(body);
    },
  );

  test('the key that is shown is named by its thumbprint, and has the members of the real ones', async () => {
    const { path } = routes.jwks;
    const { keys } = shown<{ keys: [JWK] }>(path);
    const { body } = await call(new URL(bus.ready.base_url).origin + path);
    expect(keys[0].kid).toBe(await calculateJwkThumbprint(keys[0]));
    expect(Object.keys(keys[0]).sort()).toEqual(
      Object.keys((body as { keys: [JWK] }).keys[0]).sort(),
    );
  });

  test('the bus serves its description, with the address it was asked at', async () => {
    const { base_url } = bus.ready;
    const { body } = await call(`${base_url}/openapi.json`);
    expect(body).toEqual({ ...descriptions.bus, servers: [{ url: new URL(base_url).origin }] });
  });

  test('the portal gives its API reference both, with their own addresses', async () => {
    const { base_url, portal_url } = bus.ready;
    const response = await fetch(`${portal_url}/docs/descriptions.json`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': expect.stringMatching(/^public, max-age=\d+$/),
      'x-content-type-options': 'nosniff',
    });
    const sources = (await response.json()) as { paths: object; servers: { url: string }[] }[];
    expect(sources.map(({ servers }) => servers[0]?.url)).toEqual([new URL(base_url).origin, '/']);
    const methods = sources.flatMap(({ paths }) =>
      Object.values(paths).flatMap(operations => Object.keys(operations)),
    );
    expect([...new Set(methods)].sort()).toEqual(['get', 'post']);
  });
});
