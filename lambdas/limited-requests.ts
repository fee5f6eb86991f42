import { countLimited } from '../lib/wiring/activity.ts';

export const handler = countLimited(process.env);
