import { scheduledLambda } from '../lib/wiring/function.ts';
import { relayFunction } from '../lib/wiring/relay.ts';

export const handler = scheduledLambda(relayFunction, process.env);
