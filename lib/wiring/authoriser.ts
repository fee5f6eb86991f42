import { Logger } from '@aws-lambda-powertools/logger';
import type { IdentityProvider } from '../access/registry/registry.ts';
import { fetchGuard } from '../access/trust/guarded.fetch.ts';
import { authenticate } from '../bus/tokens/authenticate.ts';
import { type Authoriser, authoriser } from '../bus/tokens/authoriser.http.ts';
import { readableKeySets } from '../bus/tokens/foreign-token.ts';
import { guardedFetch, webKeySets } from '../bus/tokens/key-sets.fetch.ts';
import { envVars } from '../contract/environments.ts';
import type { rowlessFunctions } from '../contract/functions.ts';
import { identityRefusals } from './activity.ts';
import { clock, type Env, madeOnce, once, registry, requiredVariable } from './env.ts';
import type { Ports } from './function.ts';
import { signer } from './tokens.ts';

/** A provider may use insecure local addresses only when the service itself is a local one. */
const keySets = /* @__PURE__ */ once((env: Env) => {
  const local = env[envVars.localService] === 'true';
  const logger = new Logger({ serviceName: 'som-bus', persistentKeys: { route: 'authoriser' } });
  const unreadable = ({ scope, issuer }: IdentityProvider, reason: unknown): void =>
    logger.warn('key set unreadable', { scope, issuer, reason: String(reason) });
  const fetched = webKeySets(
    (address, insecureLocal) => guardedFetch(address, fetchGuard(insecureLocal && local)),
    clock(env),
  );
  return readableKeySets(fetched, unreadable);
});

const newAuthoriser = (env: Env): Authoriser => {
  const ports: Ports<(typeof rowlessFunctions)['authoriser']['ports'][number]> = {
    clock: clock(env),
    identityRefusals: identityRefusals(env),
    registry: registry(env),
    signer: signer(env),
  };
  const origin = requiredVariable(env, envVars.origin);
  return authoriser(authenticate({ ...ports, keySets: keySets(env) }, origin), ports);
};

export const authoriserFunction = (env: Env): Authoriser => {
  const authorise = madeOnce(env, () => newAuthoriser(env));
  return function authoriserFunction(event) {
    return authorise()(event);
  };
};
