import { publishEdge } from '../lib/http/publish.ts';
import { publishPorts } from './ports/publish-ports.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('publish', publishEdge, publishPorts);
export const handler = handlerFor(process.env);
