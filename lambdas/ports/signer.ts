import { KMSClient } from '@aws-sdk/client-kms';
import { clientConfig } from '../../lib/adapters/aws/client-config.ts';
import { awsSigner } from '../../lib/adapters/aws/signer.ts';
import { envVars } from '../../lib/contract/env-vars.ts';
import type { Signer } from '../../lib/ports.ts';
import { type Env, oncePerEnv, required } from '../env.ts';

export const signer: (env: Env) => Signer = oncePerEnv(env =>
  awsSigner(new KMSClient(clientConfig(env, 'KMS')), required(env, envVars.signingKey)),
);
