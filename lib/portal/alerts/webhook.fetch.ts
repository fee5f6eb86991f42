import { type FetchGuard, FetchRefused, guardedRequest } from '../../access/trust/guarded.fetch.ts';
import { alertLimits } from '../../contract/portal/alerts.ts';
import type { Webhooks } from './webhook.ts';

const problemOf = (error: unknown): string => {
  if (error instanceof FetchRefused) return error.message;
  const code: unknown = Reflect.get(Object(error), 'code');
  return `it cannot be reached (${typeof code === 'string' ? code : 'no connection'})`;
};

/**
 * Sends within a guard. Only the status of a response is looked at: what a host says is shown to
 * nobody.
 */
export const guardedWebhooks = (guard: FetchGuard): Webhooks => ({
  async post({ url, headers, body }) {
    const request = { guard, milliseconds: alertLimits.postMilliseconds, headers, body };
    try {
      const status = await guardedRequest(url, request, async ({ statusCode = 0 }) => statusCode);
      return status >= 200 && status < 300 ? {} : { problem: `it responded with status ${status}` };
    } catch (error) {
      return { problem: problemOf(error) };
    }
  },
});
