import { openApiFunction } from '../lib/wiring/descriptions.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handler = lambda(openApiFunction, process.env);
