import { docsViewerEdge } from '../lib/http/docs-viewer.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('docs-viewer', docsViewerEdge, {});
export const handler = handlerFor(process.env);
