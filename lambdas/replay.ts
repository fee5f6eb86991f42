import { scheduledLambda } from '../lib/wiring/job.ts';
import { replayFunction } from '../lib/wiring/jobs.ts';

export const handler = scheduledLambda(replayFunction, process.env);
