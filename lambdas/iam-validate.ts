import { notImplementedEdge } from '../lib/http/not-implemented.ts';
import { clock } from './ports/clock.ts';
import { ledger } from './ports/ledger.ts';
import { registry } from './ports/registry.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('iam-validate', notImplementedEdge, { clock, registry, ledger });
export const handler = handlerFor(process.env);
