import { lambda } from '../lib/wiring/function.ts';
import { registrationsFunction } from '../lib/wiring/registry.ts';

export const handler = lambda(registrationsFunction, process.env);
