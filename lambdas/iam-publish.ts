import { iamPublishEdge } from '../lib/publishing/publish.http.ts';
import { publishPorts } from '../lib/wiring/delivery.ts';
import { lambda } from '../lib/wiring/function.ts';

export const handlerFor = lambda('iam-publish', iamPublishEdge, publishPorts);
export const handler = handlerFor(process.env);
