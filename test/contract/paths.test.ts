import { busRoutes } from '../../lib/contract/bus-routes.ts';
import { basePathOf, resourcePathOf, rowsAt } from '../../lib/contract/paths.ts';
import type { Route } from '../../lib/contract/route.ts';
import { pageRoutes, portalRoutes, routes } from '../../lib/contract/routes.ts';

it('is one table: no route of the portal has the id of one of the bus', () => {
  expect(Object.keys(routes)).toEqual([
    ...Object.keys(busRoutes),
    ...Object.keys(portalRoutes),
    ...Object.keys(pageRoutes),
  ]);
});

describe('where API Gateway has a route', () => {
  it.each([
    ['bus', '/v1/oauth/token', 'v1', '/oauth/token'],
    ['bus', '/v1/tenants/{t}/consumers/{c}/ack', 'v1', '/tenants/{t}/consumers/{c}/ack'],
    ['portal', '/api/skills/library', '', '/api/skills/library'],
    ['portal', '/', '', '/'],
    [
      'bus',
      '/.well-known/oauth-authorization-server/v1/oauth',
      '.well-known',
      '/oauth-authorization-server/v1/oauth',
    ],
  ] as const)('%s: %s is %s and %s', (api, path, basePath, resourcePath) => {
    expect([basePathOf({ api, path }), resourcePathOf({ api, path })]).toEqual([
      basePath,
      resourcePath,
    ]);
  });

  it.each(Object.values(routes))('$method $path is found again by its stage and resource', row => {
    const stage = row.api === 'bus' ? 'v1' : 'app';
    expect(rowsAt(stage, resourcePathOf(row))).toContain(row);
  });

  it('is nowhere for another stage', () => {
    expect(rowsAt('app', '/oauth/token')).toEqual([]);
    expect(rowsAt('v1', '/{proxy+}')).toEqual([]);
  });
});

describe('the facts of the routes', () => {
  const rows: readonly (readonly [string, Route])[] = Object.entries(routes);

  it.each(rows)(
    '%s counts against a quota if it takes a bearer token: only then is the connection known',
    (_, row) => {
      expect(row.quota ?? false).toBe(row.auth === 'bearer');
    },
  );

  it.each(rows)('%s has a limit for its body when it reads one', (_, row) => {
    expect(row.bodyBytes !== undefined).toBe(row.method !== 'GET');
  });
});
