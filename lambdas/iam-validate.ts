import { iamValidateEdge } from '../lib/http/publish.ts';
import { ledger } from './ports/ledger.ts';
import { registry } from './ports/registry.ts';
import { lambda } from './wiring.ts';

export const handlerFor = lambda('iam-validate', iamValidateEdge, { registry, ledger });
export const handler = handlerFor(process.env);
