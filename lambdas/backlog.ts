import { backlogFunction } from '../lib/wiring/consuming.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handler = lambda(backlogFunction, process.env);
