import { clock } from '../../lambdas/ports/clock.ts';
import { credentials } from '../../lambdas/ports/credentials.ts';
import { ids } from '../../lambdas/ports/ids.ts';
import { log } from '../../lambdas/ports/log.ts';
import { replays } from '../../lambdas/ports/replays.ts';
import type { ReplayCommandPorts } from '../app/replay/start-replay.ts';
import { envVars } from '../contract/env-vars.ts';
import { environmentOf, environments } from '../contract/environments.ts';
import type { OperatorEnv } from './registry-ports.ts';

/** What the replay commands work with, on AWS and on the local engines alike: the production adapters. */
export const replayPorts = (env: OperatorEnv): ReplayCommandPorts => ({
  clock: clock(),
  ids: ids(),
  connections: credentials(env),
  log: log(env),
  replays: replays(env),
  archiveDays: environments[environmentOf(env[envVars.environment])].archiveDays,
});
