import { relay } from '../lib/delivery/relay.ts';
import { backlog, log, metrics, queues } from '../lib/wiring/delivery.ts';
import { clock, ids } from '../lib/wiring/env.ts';
import { scheduled } from '../lib/wiring/function.ts';
import { registry } from '../lib/wiring/registry.ts';

export const handlerFor = scheduled('relay', relay, { clock, ids, registry, log, backlog, queues, metrics });
const run = handlerFor(process.env);
export const handler = (): Promise<void> => run();
