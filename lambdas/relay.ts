import { scheduledLambda } from '../lib/wiring/function.ts';
import { relayFunction } from '../lib/wiring/jobs.ts';

export const handler = scheduledLambda(relayFunction, process.env);
