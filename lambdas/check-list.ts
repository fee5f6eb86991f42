import { listRunsFunction } from '../lib/wiring/checks.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handler = lambda(listRunsFunction, process.env);
