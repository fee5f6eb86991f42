import { docsEdge } from '../lib/descriptions/descriptions.http.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handlerFor = lambda('docs', docsEdge, {});
export const handler = handlerFor(process.env);
