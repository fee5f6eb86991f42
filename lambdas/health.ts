import { healthEdge } from '../lib/descriptions/descriptions.http.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handlerFor = lambda('health', healthEdge, {});
export const handler = handlerFor(process.env);
