import { registrationsEdge } from '../lib/http/registrations.ts';
import { clock } from './ports/clock.ts';
import { registry } from './ports/registry.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('registrations', registrationsEdge, { clock, registry });
export const handler = handlerFor(process.env);
