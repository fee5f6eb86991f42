import { tokenEdge } from '../lib/tokens/token.http.ts';
import { clock, ids } from '../lib/wiring/env.ts';
import { lambda } from '../lib/wiring/function.ts';
import { credentials, signer } from '../lib/wiring/tokens.ts';

export const handlerFor = lambda('token', tokenEdge, { clock, ids, credentials, signer });
export const handler = handlerFor(process.env);
