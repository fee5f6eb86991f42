import { awsReplays } from '../../lib/adapters/aws/replays.ts';
import type { Replays } from '../../lib/ports/replays.ts';
import type { Env } from '../env.ts';
import { ledgerTable } from './dynamodb.ts';

export const replays = (env: Env): Replays => awsReplays(ledgerTable(env));
