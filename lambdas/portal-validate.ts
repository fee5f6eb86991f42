import { lambda } from '../lib/wiring/function.ts';
import { validateCallFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(validateCallFunction, process.env);
