import { lambda } from '../lib/wiring/function.ts';
import { healthFunction } from '../lib/wiring/open.ts';

export const handler = lambda(healthFunction, process.env);
