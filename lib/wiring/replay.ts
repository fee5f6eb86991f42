import { environmentOf, environments, envVars } from '../contract/environments.ts';
import { awsLog } from '../delivery/log.dynamodb.ts';
import { awsCredentials } from '../registry/connections.dynamodb.ts';
import { awsArchive } from '../replay/archive.dynamodb.ts';
import type { Archive, Replays } from '../replay/replay.ts';
import { awsReplays } from '../replay/replays.dynamodb.ts';
import type { ReplayCommandPorts } from '../replay/start-replay.ts';
import { clock, type Env, ids, ledgerTable, oncePerEnv, required } from './env.ts';
import { type OperatorEnv, operatorTable } from './operator.ts';

export const archive = (env: Env): Archive => awsArchive(ledgerTable(env));

export const replays = (env: Env): Replays => awsReplays(ledgerTable(env));

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
