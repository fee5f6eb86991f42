import { lambda } from '../lib/wiring/function.ts';
import { docsViewerFunction } from '../lib/wiring/routes-without-ports.ts';

export const handler = lambda(docsViewerFunction, process.env);
