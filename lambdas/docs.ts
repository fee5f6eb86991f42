import { docsEdge } from '../lib/http/docs.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('docs', docsEdge, {});
export const handler = handlerFor(process.env);
