import { jwtPublishEdge } from '../lib/http/publish.ts';
import { clock } from './ports/clock.ts';
import { ids } from './ports/ids.ts';
import { ledger } from './ports/ledger.ts';
import { log } from './ports/log.ts';
import { queues } from './ports/queues.ts';
import { registry } from './ports/registry.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('jwt-publish', jwtPublishEdge, {
  clock,
  ids,
  registry,
  ledger,
  log,
  queues,
});
export const handler = handlerFor(process.env);
