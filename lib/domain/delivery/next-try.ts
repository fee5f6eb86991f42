import { limits } from '../../contract/limits.ts';

/**
 * When the relay takes a log on again that did not move: the longer its oldest entry waits, the later, so that logs that
 * cannot be finished leave the others their turn.
 *
 * @param facts epoch milliseconds
 */
export const nextTry = ({ unsentSince, now }: { unsentSince: number; now: number }): number => {
  const { least, most } = limits.relayPauseMilliseconds;
  return now + Math.min(most, Math.max(least, Math.round((now - unsentSince) / 2)));
};
