import { stopRunFunction } from '../lib/wiring/checks.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handler = lambda(stopRunFunction, process.env);
