import { showRunFunction } from '../lib/wiring/checks.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handler = lambda(showRunFunction, process.env);
