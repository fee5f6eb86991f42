import { openApiEdge } from '../lib/descriptions/descriptions.http.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handlerFor = lambda('openapi', openApiEdge, {});
export const handler = handlerFor(process.env);
