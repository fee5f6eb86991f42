import { awsLog } from '../../lib/adapters/aws/log.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { Env } from '../env.ts';
import { ledgerTable } from './dynamodb.ts';

export const log = (env: Env): Log => awsLog(ledgerTable(env));
