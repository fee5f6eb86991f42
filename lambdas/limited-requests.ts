import { countLimited } from '../lib/wiring/jobs.ts';

export const handler = countLimited(process.env);
