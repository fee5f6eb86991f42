import { pullEdge } from '../lib/http/pull.ts';
import { clock } from './ports/clock.ts';
import { queues } from './ports/queues.ts';
import { registry } from './ports/registry.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('pull', pullEdge, { clock, registry, queues });
export const handler = handlerFor(process.env);
