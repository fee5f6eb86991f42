import { lambda } from '../lib/wiring/function.ts';
import { docsFunction } from '../lib/wiring/routes-without-ports.ts';

export const handler = lambda(docsFunction, process.env);
