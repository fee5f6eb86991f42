import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfigWithin } from '../../lib/adapters/aws/client-config.ts';
import type { Table } from '../../lib/adapters/aws/table.ts';
import { type EnvVar, envVars } from '../../lib/contract/env-vars.ts';
import { limits } from '../../lib/contract/limits.ts';
import { type Env, oncePerEnv, required } from '../env.ts';

const client = oncePerEnv(
  env => new DynamoDBClient(clientConfigWithin(env, 'DYNAMODB', limits.databaseMilliseconds)),
);

const table = (env: Env, name: EnvVar): Table => ({ client: client(env), name: required(env, name) });

export const registryTable = (env: Env): Table => table(env, envVars.registryTable);
export const ledgerTable = (env: Env): Table => table(env, envVars.ledgerTable);
