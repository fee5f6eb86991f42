import { registrationsEdge } from '../lib/http/registrations.ts';
import { registry } from './ports/registry.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('registrations', registrationsEdge, { registry });
export const handler = handlerFor(process.env);
