import { registrationsEdge } from '../lib/skills/registrations.http.ts';
import { lambda } from '../lib/wiring/function.ts';
import { registry } from '../lib/wiring/registry.ts';

export const handlerFor = lambda('registrations', registrationsEdge, { registry });
export const handler = handlerFor(process.env);
