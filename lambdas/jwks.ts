import { jwksEdge } from '../lib/tokens/metadata.http.ts';
import { lambda } from '../lib/wiring/function.ts';
import { signer } from '../lib/wiring/tokens.ts';

export const handlerFor = lambda('jwks', jwksEdge, { signer });
export const handler = handlerFor(process.env);
