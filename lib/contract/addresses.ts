import type { Route } from './route.ts';
import { routes } from './routes.ts';

/**
 * The stage each API is deployed as. API Gateway puts the stage before every path, so a stage named like the paths' first
 * segment gives the addresses of the route table with and without a domain of one's own.
 */
export const stages = { bus: 'v1', portal: 'api' } as const satisfies Record<Route['api'], string>;

/** A path's first segment: the stage, or what a custom domain maps to it (`.well-known` exists only there). */
export const basePathOf = (path: Route['path']): string => path.split('/')[1] ?? '';

/** A path without its first segment: where its method hangs in the API's tree of resources. */
export const resourcePathOf = (path: Route['path']): string => `/${path.split('/').slice(2).join('/')}`;

const rows: readonly Route[] = Object.values(routes);

/** The rows whose methods hang at a resource of a stage, as API Gateway's events name them (`requestContext.stage`, `resource`). */
export const rowsAt = (stage: string, resource: string): readonly Route[] =>
  rows.filter(({ api, path }) => stages[api] === stage && resourcePathOf(path) === resource);
