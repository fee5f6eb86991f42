import { tokenEdge } from '../lib/http/token.ts';
import { clock } from './ports/clock.ts';
import { credentials } from './ports/credentials.ts';
import { ids } from './ports/ids.ts';
import { signer } from './ports/signer.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('token', tokenEdge, { clock, ids, credentials, signer });
export const handler = handlerFor(process.env);
