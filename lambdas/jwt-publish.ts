import { jwtPublishEdge } from '../lib/http/publish.ts';
import { publishPorts } from './ports/publish-ports.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('jwt-publish', jwtPublishEdge, publishPorts);
export const handler = handlerFor(process.env);
