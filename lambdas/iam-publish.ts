import { iamPublishEdge } from '../lib/http/publish.ts';
import { publishPorts } from './ports/publish-ports.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('iam-publish', iamPublishEdge, publishPorts);
export const handler = handlerFor(process.env);
