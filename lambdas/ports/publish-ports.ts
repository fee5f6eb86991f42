import { clock } from './clock.ts';
import { ids } from './ids.ts';
import { ledger } from './ledger.ts';
import { log } from './log.ts';
import { queues } from './queues.ts';
import { registry } from './registry.ts';

/** The ports of every publish route: they differ in who is asked for what, and in nothing else. */
export const publishPorts = { clock, ids, registry, ledger, log, queues };
