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
import type { RouteId } from '../contract/routes.ts';
import type { RequestLog } from '../http/respond.ts';
import type { LocalEnv } from './local-env.ts';

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

/** The functions of every route, as they are deployed, for one environment. */
export const handlers = (env: LocalEnv, logFor: LogFor): Readonly<Record<RouteId, ProxyHandler>> => {
  const entries = Object.entries(modules).map(([id, { handlerFor }]) => [id, handlerFor(env, logFor)]);
  return Object.fromEntries(entries);
};
