import { pullEdge } from '../lib/consuming/consuming.http.ts';
import { inbox, receipts } from '../lib/wiring/consuming.ts';
import { clock, ids } from '../lib/wiring/env.ts';
import { lambda } from '../lib/wiring/function.ts';
import { registry } from '../lib/wiring/registry.ts';

export const handlerFor = lambda('pull', pullEdge, { clock, ids, registry, inbox, receipts });
export const handler = handlerFor(process.env);
