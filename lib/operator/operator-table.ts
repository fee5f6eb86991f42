import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Env, oncePerEnv, required } from '../../lambdas/env.ts';
import { clientConfig } from '../adapters/aws/client-config.ts';
import type { Table } from '../adapters/aws/table.ts';
import type { EnvVar } from '../contract/env-vars.ts';

/** A person's network may be slow: calls have the usual time, more than those of a function. */
const client = oncePerEnv(env => new DynamoDBClient(clientConfig(env, 'DYNAMODB')));

/** A table of an environment, as the operator's commands reach it. */
export const operatorTable = (env: Env, name: EnvVar): Table => ({
  client: client(env),
  name: required(env, name),
});
