import { lambda } from '../lib/wiring/function.ts';
import { portalFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(portalFunction, process.env);
