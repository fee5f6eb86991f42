import { lambda } from '../lib/wiring/function.ts';
import { verifyPrincipalFunction } from '../lib/wiring/registry.ts';

export const handler = lambda(verifyPrincipalFunction, process.env);
