import { probeFunction } from '../lib/wiring/probe.ts';

export const handler = probeFunction(process.env);
