import { iamValidateEdge } from '../lib/publishing/publish.http.ts';
import { ledger } from '../lib/wiring/delivery.ts';
import { lambda } from '../lib/wiring/function.ts';
import { registry } from '../lib/wiring/registry.ts';

export const handlerFor = lambda('iam-validate', iamValidateEdge, { registry, ledger });
export const handler = handlerFor(process.env);
