import { lambda } from '../lib/wiring/function.ts';
import { healthFunction } from '../lib/wiring/routes-without-ports.ts';

export const handler = lambda(healthFunction, process.env);
