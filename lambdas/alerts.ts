import { alertsFunction } from '../lib/wiring/alerts.ts';
import { scheduledLambda } from '../lib/wiring/function.ts';

export const handler = scheduledLambda(alertsFunction, process.env);
