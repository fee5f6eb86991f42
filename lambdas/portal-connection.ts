import { lambda } from '../lib/wiring/function.ts';
import { connectionFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(connectionFunction, process.env);
