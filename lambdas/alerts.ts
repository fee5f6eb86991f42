import { alertsFunction } from '../lib/wiring/alerts.ts';
import { scheduledLambda } from '../lib/wiring/job.ts';

export const handler = scheduledLambda(alertsFunction, process.env);
