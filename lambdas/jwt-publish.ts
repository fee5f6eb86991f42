import { jwtPublishEdge } from '../lib/publishing/publish.http.ts';
import { publishPorts } from '../lib/wiring/delivery.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handlerFor = lambda('jwt-publish', jwtPublishEdge, publishPorts);
export const handler = handlerFor(process.env);
