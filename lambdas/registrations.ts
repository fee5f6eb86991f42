import { lambda } from '../lib/wiring/function.ts';
import { registrationsFunction } from '../lib/wiring/skills.ts';

export const handler = lambda(registrationsFunction, process.env);
