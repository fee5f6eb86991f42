import { operatorPublishEdge } from '../lib/publishing/publish.http.ts';
import { publishPorts } from '../lib/wiring/delivery.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handlerFor = lambda('operator-publish', operatorPublishEdge, publishPorts);
export const handler = handlerFor(process.env);
