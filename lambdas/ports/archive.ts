import { awsArchive } from '../../lib/adapters/aws/archive.ts';
import type { Archive } from '../../lib/ports/archive.ts';
import type { Env } from '../env.ts';
import { ledgerTable } from './dynamodb.ts';

export const archive = (env: Env): Archive => awsArchive(ledgerTable(env));
