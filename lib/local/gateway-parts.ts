import type { ProxyHandler } from '../../lambdas/wiring.ts';
import type { Route } from '../contract/route.ts';
import type { RouteId } from '../contract/routes.ts';
import type { RequestLog } from '../http/respond.ts';
import type { authorise } from './authorise.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import type { RawRequest } from './sigv4/canonical-request.ts';
import type { SigV4Result } from './sigv4/verify-request.ts';

/** What a gateway puts in front of. */
export interface GatewayParts {
  readonly api: Route['api'];
  readonly handlers: Readonly<Record<RouteId, ProxyHandler>>;
  readonly authorise: ReturnType<typeof authorise>;
  verifySignature(request: RawRequest): SigV4Result;
  /** Where the lines of answers go that no route's function gave; the route is undefined where there was none. */
  logFor(route: RouteId | undefined): RequestLog;
  newRequestId(): string;
  /** Milliseconds since any moment, to measure with. */
  now(): number;
  /** Absent: nobody is ever told to slow down. */
  readonly limits?: GatewayLimits;
}
