import { lambda } from '../lib/wiring/function.ts';
import { openApiFunction } from '../lib/wiring/open.ts';

export const handler = lambda(openApiFunction, process.env);
