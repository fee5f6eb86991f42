import { KMSClient } from '@aws-sdk/client-kms';
import { clientConfig } from '../aws/clients.ts';
import { envVars } from '../contract/environments.ts';
import { awsCredentials } from '../registry/connections.dynamodb.ts';
import type { Credentials } from '../registry/credentials.ts';
import type { KeySets } from '../tokens/foreign-token.ts';
import type { Signer } from '../tokens/key-ring.ts';
import { fetchGuard, guardedFetch, webKeySets } from '../tokens/key-sets.fetch.ts';
import { awsSigner, type KeyHome } from '../tokens/signer.kms.ts';
import { clock, type Env, oncePerEnv, registryTable, required } from './env.ts';

export const keyHome: (env: Env) => KeyHome = oncePerEnv(env => ({
  kms: new KMSClient(clientConfig(env, 'KMS')),
  table: registryTable(env),
  firstKey: required(env, envVars.signingKey),
}));

export const signer: (env: Env) => Signer = oncePerEnv(env => awsSigner(keyHome(env), clock()));

/** What a provider wishes counts where the service itself is a local one. */
export const keySets: (env: Env) => KeySets = oncePerEnv(env => {
  const local = env[envVars.localService] === 'true';
  return webKeySets(
    (address, insecureLocal) => guardedFetch(address, fetchGuard(insecureLocal && local)),
    clock(),
  );
});

export const credentials = (env: Env): Credentials => awsCredentials(registryTable(env));
