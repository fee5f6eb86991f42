import { lambda } from '../lib/wiring/function.ts';
import { tokenFunction } from '../lib/wiring/tokens.ts';

export const handler = lambda(tokenFunction, process.env);
