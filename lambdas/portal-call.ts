import { lambda } from '../lib/wiring/function.ts';
import { portalCallFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(portalCallFunction, process.env);
