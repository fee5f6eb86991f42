import { ackEdge } from '../lib/http/pull.ts';
import { clock } from './ports/clock.ts';
import { inbox } from './ports/inbox.ts';
import { receipts } from './ports/receipts.ts';
import { registry } from './ports/registry.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('ack', ackEdge, { clock, registry, inbox, receipts });
export const handler = handlerFor(process.env);
