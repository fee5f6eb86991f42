import { validateEdge } from '../lib/http/publish.ts';
import { ledger } from './ports/ledger.ts';
import { registry } from './ports/registry.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('validate', validateEdge, { registry, ledger });
export const handler = handlerFor(process.env);
