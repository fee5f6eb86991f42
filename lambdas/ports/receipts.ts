import { awsReceipts } from '../../lib/adapters/aws/receipts.ts';
import type { Receipts } from '../../lib/ports/receipts.ts';
import type { Env } from '../env.ts';
import { clock } from './clock.ts';
import { ledgerTable } from './dynamodb.ts';

export const receipts = (env: Env): Receipts => awsReceipts(ledgerTable(env), clock());
