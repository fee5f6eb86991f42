import { awsCredentials } from '../../lib/adapters/aws/connections.ts';
import type { Credentials } from '../../lib/ports/credentials.ts';
import type { Env } from '../env.ts';
import { registryTable } from './dynamodb.ts';

export const credentials = (env: Env): Credentials => awsCredentials(registryTable(env));
