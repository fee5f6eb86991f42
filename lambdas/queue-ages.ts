import { scheduledLambda } from '../lib/wiring/function.ts';
import { queueAgesFunction } from '../lib/wiring/jobs.ts';

export const handler = scheduledLambda(queueAgesFunction, process.env);
