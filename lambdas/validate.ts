import { validateEdge } from '../lib/publishing/publish.http.ts';
import { ledger } from '../lib/wiring/delivery.ts';
import { lambda } from '../lib/wiring/function.ts';
import { registry } from '../lib/wiring/registry.ts';

export const handlerFor = lambda('validate', validateEdge, { registry, ledger });
export const handler = handlerFor(process.env);
