import { lambda } from '../lib/wiring/function.ts';
import { signFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(signFunction, process.env);
