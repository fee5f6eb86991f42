import { KMSClient } from '@aws-sdk/client-kms';
import { clientConfig } from '../../lib/adapters/aws/client-config.ts';
import { awsSigner, type KeyHome } from '../../lib/adapters/aws/signer.ts';
import { envVars } from '../../lib/contract/env-vars.ts';
import type { Signer } from '../../lib/ports/signer.ts';
import { type Env, oncePerEnv, required } from '../env.ts';
import { clock } from './clock.ts';
import { registryTable } from './dynamodb.ts';

export const keyHome: (env: Env) => KeyHome = oncePerEnv(env => ({
  kms: new KMSClient(clientConfig(env, 'KMS')),
  table: registryTable(env),
  firstKey: required(env, envVars.signingKey),
}));

export const signer: (env: Env) => Signer = oncePerEnv(env => awsSigner(keyHome(env), clock()));
