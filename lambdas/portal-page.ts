import { lambda } from '../lib/wiring/function.ts';
import { portalPageFunction } from '../lib/wiring/portal.ts';

export const handler = lambda(portalPageFunction, process.env);
