import { relayFunction } from '../lib/wiring/jobs.ts';
import { scheduledLambda } from '../lib/wiring/scheduled.ts';

export const handler = scheduledLambda(relayFunction, process.env);
