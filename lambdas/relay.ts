import { scheduledLambda } from '../lib/wiring/job.ts';
import { relayFunction } from '../lib/wiring/jobs.ts';

export const handler = scheduledLambda(relayFunction, process.env);
