import { lambda } from '../lib/wiring/function.ts';
import { docsViewerFunction } from '../lib/wiring/open.ts';

export const handler = lambda(docsViewerFunction, process.env);
