import { scheduledLambda } from '../lib/wiring/job.ts';
import { queueAgesFunction } from '../lib/wiring/jobs.ts';

export const handler = scheduledLambda(queueAgesFunction, process.env);
