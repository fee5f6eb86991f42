import { lambda } from '../lib/wiring/function.ts';
import { iamValidateFunction } from '../lib/wiring/publishing.ts';

export const handler = lambda(iamValidateFunction, process.env);
