import { healthEdge } from '../lib/http/health.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('health', healthEdge, {});
export const handler = handlerFor(process.env);
