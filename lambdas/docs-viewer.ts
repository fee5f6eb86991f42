import { docsViewerEdge } from '../lib/descriptions/descriptions.http.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handlerFor = lambda('docs-viewer', docsViewerEdge, {});
export const handler = handlerFor(process.env);
