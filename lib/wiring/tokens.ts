import { KMSClient } from '@aws-sdk/client-kms';
import { awsCredentials } from '../access/registry/connections.dynamodb.ts';
import { awsSigner } from '../bus/tokens/signer.kms.ts';
import { jwksEdge, oauthMetadataEdge, tokenEdge } from '../bus/tokens/token.http.ts';
import { awsTokenRequests } from '../bus/tokens/token-requests.dynamodb.ts';
import { envVars } from '../contract/environments.ts';
import { clientConfig, clientOf } from '../platform/aws/clients.ts';
import { recorder, testRuns } from './activity.ts';
import { clock, type Env, ids, once, registryTable, requiredVariable } from './env.ts';
import type { RouteFunction } from './function.ts';

/**
 * Where the token service's keys are: shared by everything that signs with them or changes them.
 */
export const keyHome = /* @__PURE__ */ once((env: Env) => ({
  kms: clientOf(env, 'KMS', new KMSClient(clientConfig(env, 'KMS'))),
  table: registryTable(env),
  firstKey: requiredVariable(env, envVars.signingKey),
}));

export const signer = /* @__PURE__ */ once((env: Env) => awsSigner(keyHome(env), clock(env)));

const credentials = (env: Env) => awsCredentials(registryTable(env));

const tokenRequests = (env: Env) => awsTokenRequests(registryTable(env), clock(env));

export const tokenFunction: RouteFunction<'token'> = {
  route: 'token',
  edge: tokenEdge,
  ports: { clock, ids, credentials, tokenRequests, signer, recorder, testRuns },
};

export const jwksFunction: RouteFunction<'jwks'> = {
  route: 'jwks',
  edge: jwksEdge,
  ports: { signer },
};

export const oauthMetadataFunction: RouteFunction<'oauth-metadata'> = {
  route: 'oauth-metadata',
  edge: oauthMetadataEdge,
  ports: {},
};
