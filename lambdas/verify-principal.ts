import { notImplementedEdge } from '../lib/http/not-implemented.ts';
import { clock } from './ports/clock.ts';
import { registry } from './ports/registry.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('verify-principal', notImplementedEdge, { clock, registry });
export const handler = handlerFor(process.env);
