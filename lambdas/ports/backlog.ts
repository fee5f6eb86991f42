import { awsBacklog } from '../../lib/adapters/aws/backlog.ts';
import type { Backlog } from '../../lib/ports/backlog.ts';
import type { Env } from '../env.ts';
import { ledgerTable } from './dynamodb.ts';

export const backlog = (env: Env): Backlog => awsBacklog(ledgerTable(env));
