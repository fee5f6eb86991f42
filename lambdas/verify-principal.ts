import { verifyPrincipalEdge } from '../lib/registry/verify-role.http.ts';
import { clock } from '../lib/wiring/env.ts';
import { lambda } from '../lib/wiring/function.ts';
import { principals, queueReaders, registry } from '../lib/wiring/registry.ts';

export const handlerFor = lambda('verify-principal', verifyPrincipalEdge, {
  clock,
  registry,
  principals,
  queueReaders,
});
export const handler = handlerFor(process.env);
