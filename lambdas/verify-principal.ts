import { lambda } from '../lib/wiring/function.ts';
import { verifyPrincipalFunction } from '../lib/wiring/principals.ts';

export const handler = lambda(verifyPrincipalFunction, process.env);
