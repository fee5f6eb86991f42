import { lambda } from '../lib/wiring/function.ts';
import { openApiFunction } from '../lib/wiring/routes-without-ports.ts';

export const handler = lambda(openApiFunction, process.env);
