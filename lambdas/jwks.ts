import { jwksEdge } from '../lib/http/jwks.ts';
import { signer } from './ports/signer.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('jwks', jwksEdge, { signer });
export const handler = handlerFor(process.env);
