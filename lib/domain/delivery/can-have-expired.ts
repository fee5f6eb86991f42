import { dayMilliseconds } from '../../contract/durations.ts';
import { environments } from '../../contract/environments.ts';

const shortestLife =
  Math.min(...Object.values(environments).map(({ archiveDays }) => archiveDays)) * dayMilliseconds;

/**
 * Whether an entry that is not there can have expired, judged by when the first unsent entry of its log was accepted: a
 * missing one in a younger log is a fault, and nothing that may be sent yet is given up.
 */
export const canHaveExpired = ({ unsentSince, now }: { unsentSince: number; now: number }): boolean =>
  unsentSince <= now - shortestLife;
