import { probeHandler } from '../lib/wiring/probe.ts';

export const handler = probeHandler(process.env);
