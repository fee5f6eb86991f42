import { Logger } from '@aws-lambda-powertools/logger';
import { KMSClient } from '@aws-sdk/client-kms';
import { clientConfig, clientOf } from '../aws/clients.ts';
import { envVars } from '../contract/environments.ts';
import type { rowlessFunctions } from '../contract/functions.ts';
import { awsCredentials } from '../registry/connections.dynamodb.ts';
import { fetchGuard } from '../registry/guarded.fetch.ts';
import type { IdentityProvider } from '../registry/registry.ts';
import { authenticate } from '../tokens/authenticate.ts';
import { type Authoriser, authoriser } from '../tokens/authoriser.http.ts';
import { readableKeySets } from '../tokens/foreign-token.ts';
import { guardedFetch, webKeySets } from '../tokens/key-sets.fetch.ts';
import { awsSigner } from '../tokens/signer.kms.ts';
import { jwksEdge, oauthMetadataEdge, tokenEdge } from '../tokens/token.http.ts';
import { awsTokenRequests } from '../tokens/token-requests.dynamodb.ts';
import { recorder, testRuns } from './activity.ts';
import { clock, type Env, ids, madeOnce, once, registry, registryTable, required } from './env.ts';
import type { Ports, RouteFunction } from './function.ts';

/** Where the token service's keys are: shared by everything that signs with them or changes them. */
export const keyHome = /* @__PURE__ */ once((env: Env) => ({
  kms: clientOf(env, 'KMS', new KMSClient(clientConfig(env, 'KMS'))),
  table: registryTable(env),
  firstKey: required(env, envVars.signingKey),
}));

const signer = /* @__PURE__ */ once((env: Env) => awsSigner(keyHome(env), clock(env)));

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

const credentials = (env: Env) => awsCredentials(registryTable(env));

const tokenRequests = (env: Env) => awsTokenRequests(registryTable(env), clock(env));

export const tokenFunction: RouteFunction<'token'> = {
  route: 'token',
  edge: tokenEdge,
  ports: { clock, ids, credentials, tokenRequests, signer, recorder, testRuns },
};

export const jwksFunction: RouteFunction<'jwks'> = { route: 'jwks', edge: jwksEdge, ports: { signer } };

export const oauthMetadataFunction: RouteFunction<'oauth-metadata'> = {
  route: 'oauth-metadata',
  edge: oauthMetadataEdge,
  ports: {},
};

const newAuthoriser = (env: Env): Authoriser => {
  const ports: Ports<(typeof rowlessFunctions)['authoriser']['ports'][number]> = {
    clock: clock(env),
    registry: registry(env),
    signer: signer(env),
  };
  return authoriser(authenticate({ ...ports, keySets: keySets(env) }, required(env, envVars.origin)));
};

export const authoriserFunction = (env: Env): Authoriser => {
  const authorise = madeOnce(env, () => newAuthoriser(env));
  return function authoriserFunction(event) {
    return authorise()(event);
  };
};
