import { runReplays } from '../lib/replay/run-replays.ts';
import { log, queues } from '../lib/wiring/delivery.ts';
import { clock, ids } from '../lib/wiring/env.ts';
import { scheduled } from '../lib/wiring/function.ts';
import { registry } from '../lib/wiring/registry.ts';
import { archive, replays } from '../lib/wiring/replay.ts';

export const handlerFor = scheduled('replay', runReplays, {
  clock,
  ids,
  registry,
  log,
  archive,
  queues,
  replays,
});
const run = handlerFor(process.env);
export const handler = (): Promise<void> => run();
