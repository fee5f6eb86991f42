import { openApiEdge } from '../lib/http/openapi.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('openapi', openApiEdge, {});
export const handler = handlerFor(process.env);
