import { awsRegistry } from '../../lib/adapters/aws/registry.ts';
import type { Registry } from '../../lib/ports/registry.ts';
import type { Env } from '../env.ts';
import { clock } from './clock.ts';
import { registryTable } from './dynamodb.ts';

export const registry = (env: Env): Registry => awsRegistry(registryTable(env), clock());
