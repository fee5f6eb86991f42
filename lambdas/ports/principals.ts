import { awsPrincipals } from '../../lib/adapters/aws/principals.ts';
import type { Principals } from '../../lib/ports/principals.ts';
import type { Env } from '../env.ts';
import { registryTable } from './dynamodb.ts';

export const principals = (env: Env): Principals => awsPrincipals(registryTable(env));
