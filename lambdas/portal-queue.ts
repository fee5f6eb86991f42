import { lambda } from '../lib/wiring/function.ts';
import { queueFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(queueFunction, process.env);
