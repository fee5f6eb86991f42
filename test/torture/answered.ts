import type { Answer } from '../support/http-client.ts';
import type { Stage } from './stage.ts';

/** How `fetch` says that a connection was refused or cut. Its errors are Node's, not jest's: `instanceof` does not hold. */
const wasCut = (fault: unknown): boolean =>
  /^TypeError: (fetch failed|terminated)/.test(String(fault)) || /^SyntaxError/.test(String(fault));

/** The answer; undefined when the service was killed before the answer was complete. */
export const unlessKilled = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer;
  } catch (fault) {
    if (wasCut(fault)) return undefined;
    throw fault;
  }
};

/** Whether the same request may be sent again, when the service is back. Counts what only a fault can have answered. */
export const isWorthAnother = (answer: Answer | undefined, counts: Pick<Stage, 'faults'>): boolean => {
  if (answer === undefined || answer.status === 401) return true;
  if (answer.status < 500) return false;
  if (answer.status !== 503) counts.faults += 1;
  return true;
};
