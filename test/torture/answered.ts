import type { Response } from '../support/http-client.ts';
import type { Stage } from './stage.ts';

/** How `fetch` says that a connection was refused or cut. Its errors are Node's, not jest's: `instanceof` does not hold. */
const wasCut = (fault: unknown): boolean =>
  /^TypeError: (fetch failed|terminated)/.test(String(fault)) || /^SyntaxError/.test(String(fault));

/** The response; undefined when the service was killed before the response was complete. */
export const unlessKilled = async <T>(response: Promise<T>): Promise<T | undefined> => {
  try {
    return await response;
  } catch (fault) {
    if (wasCut(fault)) return undefined;
    throw fault;
  }
};

/** Whether the same request may be sent again, when the service is back. Counts what only a fault can have answered. */
export const isWorthAnother = (response: Response | undefined, counts: Pick<Stage, 'faults'>): boolean => {
  if (response === undefined || response.status === 401) return true;
  if (response.status < 500) return false;
  if (response.status !== 503) counts.faults += 1;
  return true;
};
