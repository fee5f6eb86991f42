import { queueAgesFunction } from '../lib/wiring/jobs.ts';
import { scheduledLambda } from '../lib/wiring/scheduled.ts';

export const handler = scheduledLambda(queueAgesFunction, process.env);
