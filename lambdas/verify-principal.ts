import { verifyPrincipalEdge } from '../lib/http/verify-principal.ts';
import { clock } from './ports/clock.ts';
import { principals } from './ports/principals.ts';
import { queueReaders } from './ports/queue-readers.ts';
import { registry } from './ports/registry.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('verify-principal', verifyPrincipalEdge, {
  clock,
  registry,
  principals,
  queueReaders,
});
export const handler = handlerFor(process.env);
