import { relay } from '../lib/app/relay.ts';
import { backlog } from './ports/backlog.ts';
import { clock } from './ports/clock.ts';
import { ids } from './ports/ids.ts';
import { log } from './ports/log.ts';
import { metrics } from './ports/metrics.ts';
import { queues } from './ports/queues.ts';
import { registry } from './ports/registry.ts';
import { scheduled } from './scheduled.ts';

export const handlerFor = scheduled('relay', relay, { clock, ids, registry, log, backlog, queues, metrics });
const run = handlerFor(process.env);
export const handler = (): Promise<void> => run();
