import { lambda } from '../lib/wiring/function.ts';
import { publishFunction } from '../lib/wiring/publishing.ts';

export const handler = lambda(publishFunction, process.env);
