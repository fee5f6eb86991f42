import { scheduledLambda } from '../lib/wiring/function.ts';
import { replayFunction } from '../lib/wiring/jobs.ts';

export const handler = scheduledLambda(replayFunction, process.env);
