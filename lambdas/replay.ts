import { runReplays } from '../lib/app/replay/run-replays.ts';
import { archive } from './ports/archive.ts';
import { clock } from './ports/clock.ts';
import { ids } from './ports/ids.ts';
import { log } from './ports/log.ts';
import { queues } from './ports/queues.ts';
import { registry } from './ports/registry.ts';
import { replays } from './ports/replays.ts';
import { scheduled } from './scheduled.ts';

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
