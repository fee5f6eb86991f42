import { lambda } from '../lib/wiring/function.ts';
import { jwksFunction } from '../lib/wiring/tokens.ts';

export const handler = lambda(jwksFunction, process.env);
