import { lambda } from '../lib/wiring/function.ts';
import { docsFunction } from '../lib/wiring/open.ts';

export const handler = lambda(docsFunction, process.env);
