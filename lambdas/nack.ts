import { nackFunction } from '../lib/wiring/consuming.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handler = lambda(nackFunction, process.env);
