import { portalFunction } from '../lib/wiring/descriptions.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handler = lambda(portalFunction, process.env);
