import { lambda } from '../lib/wiring/function.ts';
import { backlogFunction } from '../lib/wiring/history.ts';

export const handler = lambda(backlogFunction, process.env);
