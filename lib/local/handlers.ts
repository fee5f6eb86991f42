import * as ack from '../../lambdas/ack.ts';
import * as docs from '../../lambdas/docs.ts';
import * as docsViewer from '../../lambdas/docs-viewer.ts';
import * as health from '../../lambdas/health.ts';
import * as iamPublish from '../../lambdas/iam-publish.ts';
import * as iamValidate from '../../lambdas/iam-validate.ts';
import * as jwks from '../../lambdas/jwks.ts';
import * as jwtPublish from '../../lambdas/jwt-publish.ts';
import * as nack from '../../lambdas/nack.ts';
import * as oauthMetadata from '../../lambdas/oauth-metadata.ts';
import * as openapi from '../../lambdas/openapi.ts';
import * as operatorPublish from '../../lambdas/operator-publish.ts';
import * as publish from '../../lambdas/publish.ts';
import * as pull from '../../lambdas/pull.ts';
import * as registrations from '../../lambdas/registrations.ts';
import * as skillLibrary from '../../lambdas/skill-library.ts';
import * as skillValidate from '../../lambdas/skill-validate.ts';
import * as token from '../../lambdas/token.ts';
import * as validate from '../../lambdas/validate.ts';
import * as verifyPrincipal from '../../lambdas/verify-principal.ts';
import type { ProxyHandler } from '../../lambdas/wiring.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import type { RequestLog } from '../http/respond.ts';
import type { LocalEnv } from './local-env.ts';
import { type InTurn, turns } from './turns.ts';

/** Where the request lines of a route go. */
export type LogFor = (route: RouteId) => RequestLog;

const modules: Readonly<Record<RouteId, { handlerFor(env: LocalEnv, logFor: LogFor): ProxyHandler }>> = {
  health,
  token,
  jwks,
  'oauth-metadata': oauthMetadata,
  openapi,
  publish,
  validate,
  'iam-publish': iamPublish,
  'iam-validate': iamValidate,
  'verify-principal': verifyPrincipal,
  pull,
  ack,
  nack,
  registrations,
  'jwt-publish': jwtPublish,
  'operator-publish': operatorPublish,
  'skill-library': skillLibrary,
  'skill-validate': skillValidate,
  docs,
  'docs-viewer': docsViewer,
};

/**
 * On AWS every request has a processor of its own. Here they share one: of a burst served all at once, each would miss the
 * time it has for its sends. The others wait, in the order in which they came.
 */
const requestsAtOnce = 48;

/**
 * A long poll waits for messages, not for a processor: it takes nobody's turn. What sends to queues has turns of its own, so that a
 * queue which hangs keeps nobody from a token or an acknowledgement.
 */
const turnsFor = (): ((route: RouteId) => InTurn) => {
  const sending = turns(requestsAtOnce);
  const others = turns(requestsAtOnce);
  return route => {
    if (route === 'pull') return task => task();
    return routes[route].ports.some(port => port === 'queues') ? sending : others;
  };
};

/** The functions of every route, as they are deployed, for one environment. */
export const handlers = (env: LocalEnv, logFor: LogFor): Readonly<Record<RouteId, ProxyHandler>> => {
  const turnOf = turnsFor();
  const handlerOf = (id: RouteId): ProxyHandler => {
    const handler = modules[id].handlerFor(env, logFor);
    const inTurn = turnOf(id);
    return event => inTurn(() => handler(event));
  };
  const ids = Object.keys(modules) as readonly RouteId[];
  return Object.fromEntries(ids.map(id => [id, handlerOf(id)])) as Record<RouteId, ProxyHandler>; // one for each of the modules
};
