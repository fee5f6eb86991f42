import { checksFunction } from '../lib/wiring/checks.ts';
import { scheduledLambda } from '../lib/wiring/function.ts';

export const handler = scheduledLambda(checksFunction, process.env);
