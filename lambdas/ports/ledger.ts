import { awsLedger } from '../../lib/adapters/aws/ledger.ts';
import { envVars } from '../../lib/contract/env-vars.ts';
import { environmentOf, environments } from '../../lib/contract/environments.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { type Env, required } from '../env.ts';
import { clock } from './clock.ts';
import { ledgerTable } from './dynamodb.ts';

export const ledger = (env: Env): Ledger => {
  const { archiveDays } = environments[environmentOf(required(env, envVars.environment))];
  return awsLedger(ledgerTable(env), { clock: clock(), archiveDays });
};
