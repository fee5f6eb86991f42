import type { Answer } from '../support/http-client.ts';

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

/** Whether the same request may be sent again when the service is back. */
export const isWorthAnother = (answer: Answer | undefined): boolean =>
  answer === undefined || answer.status >= 500 || answer.status === 401;
