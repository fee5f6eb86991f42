import { lambda } from '../lib/wiring/function.ts';
import { operatorFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(operatorFunction, process.env);
