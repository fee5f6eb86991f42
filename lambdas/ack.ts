import { ackEdge } from '../lib/consuming/consuming.http.ts';
import { inbox, receipts } from '../lib/wiring/consuming.ts';
import { clock } from '../lib/wiring/env.ts';
import { lambda } from '../lib/wiring/function.ts';
import { registry } from '../lib/wiring/registry.ts';

export const handlerFor = lambda('ack', ackEdge, { clock, registry, inbox, receipts });
export const handler = handlerFor(process.env);
