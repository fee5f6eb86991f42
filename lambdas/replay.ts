import { scheduledLambda } from '../lib/wiring/function.ts';
import { replayFunction } from '../lib/wiring/replay.ts';

export const handler = scheduledLambda(replayFunction, process.env);
