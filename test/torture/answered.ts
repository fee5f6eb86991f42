import { setTimeout } from 'node:timers/promises';
import type { Answer } from '../support/http-client.ts';

/** How `fetch` says that a connection was refused or cut. Its errors are Node's, not jest's: `instanceof` does not hold. */
const wasCut = (fault: unknown): boolean =>
  /^TypeError: (fetch failed|terminated)/.test(String(fault)) || /^SyntaxError/.test(String(fault));

/** The answer; undefined when the service was killed before it was through. */
export const unlessKilled = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer;
  } catch (fault) {
    if (wasCut(fault)) return undefined;
    throw fault;
  }
};

/** A pause that grows with the tries, for a service that is being started again. */
export const pause = (tries: number): Promise<void> => setTimeout(Math.min(20 * 2 ** tries, 300));

/** Whether the same request may be sent again after a pause. */
export const isWorthAnother = (answer: Answer | undefined): boolean =>
  answer === undefined || answer.status >= 500 || answer.status === 401;
