import { oncePerEnv, required } from '../../lambdas/env.ts';
import { clock } from '../../lambdas/ports/clock.ts';
import { ids } from '../../lambdas/ports/ids.ts';
import { awsCredentials } from '../adapters/aws/connections.ts';
import { awsLog } from '../adapters/aws/log.ts';
import { awsReplays } from '../adapters/aws/replays.ts';
import type { ReplayCommandPorts } from '../app/replay/start-replay.ts';
import { envVars } from '../contract/env-vars.ts';
import { environmentOf, environments } from '../contract/environments.ts';
import { operatorTable } from './operator-table.ts';
import type { OperatorEnv } from './registry-ports.ts';

/** What the replay commands work with, on AWS and on the local engines alike: the production adapters. */
export const replayPorts: (env: OperatorEnv) => ReplayCommandPorts = oncePerEnv(env => {
  const ledger = operatorTable(env, envVars.ledgerTable);
  return {
    clock: clock(),
    ids: ids(),
    connections: awsCredentials(operatorTable(env, envVars.registryTable)),
    log: awsLog(ledger),
    replays: awsReplays(ledger),
    archiveDays: environments[environmentOf(required(env, envVars.environment))].archiveDays,
  };
});
