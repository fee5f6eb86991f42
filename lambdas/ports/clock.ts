import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../lib/ports/clock.ts';

export const clock = (): Clock => ({
  now: () => Date.now(),
  sleep: milliseconds => setTimeout(milliseconds),
});
