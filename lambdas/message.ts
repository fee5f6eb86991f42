import { messageFunction } from '../lib/wiring/activity.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handler = lambda(messageFunction, process.env);
