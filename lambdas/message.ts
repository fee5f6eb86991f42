import { lambda } from '../lib/wiring/function.ts';
import { messageFunction } from '../lib/wiring/history.ts';

export const handler = lambda(messageFunction, process.env);
