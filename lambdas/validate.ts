import { lambda } from '../lib/wiring/function.ts';
import { validateFunction } from '../lib/wiring/publishing.ts';

export const handler = lambda(validateFunction, process.env);
