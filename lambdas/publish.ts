import { publishEdge } from '../lib/publishing/publish.http.ts';
import { publishPorts } from '../lib/wiring/delivery.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handlerFor = lambda('publish', publishEdge, publishPorts);
export const handler = handlerFor(process.env);
