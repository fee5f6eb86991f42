import { lambda } from '../lib/wiring/function.ts';
import { checkCallFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(checkCallFunction, process.env);
