import { checksFunction } from '../lib/wiring/checks.ts';
import { scheduledLambda } from '../lib/wiring/job.ts';

export const handler = scheduledLambda(checksFunction, process.env);
