import { awsArchive } from '../replay/archive.dynamodb.ts';
import type { Archive, Replays } from '../replay/replay.ts';
import { awsReplays } from '../replay/replays.dynamodb.ts';
import { runReplays } from '../replay/run-replays.ts';
import { clock, type Env, ids, ledgerTable } from './env.ts';
import type { JobFunction } from './function.ts';
import { log, queues } from './publishing.ts';
import { registry } from './registry.ts';

const archive = (env: Env): Archive => awsArchive(ledgerTable(env));

const replays = (env: Env): Replays => awsReplays(ledgerTable(env));

export const replayFunction: JobFunction<'replay'> = {
  job: 'replay',
  use: runReplays,
  ports: { clock, ids, registry, log, archive, queues, replays },
};
