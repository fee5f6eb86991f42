import type { TokenPorts } from '../../../lib/bus/tokens/issue-token.ts';
import { tokenEdge } from '../../../lib/bus/tokens/token.http.ts';
import { respond } from '../../../lib/platform/http/respond.ts';
import { noTestRuns } from '../../support/fakes/test-runs.ts';
import {
  countingIds,
  frozenClock,
  signerOf,
  uncounted,
  unrecorded,
} from '../../support/identity-fakes.ts';
import { proxyEvent } from '../../support/proxy-event.ts';
import { origin } from './tokens.ts';

/** The token route over some ports: sends it a form, and gives the response. */
export const tokenService = (ports: Pick<TokenPorts, 'credentials'> & Partial<TokenPorts>) => {
  const outside = {
    clock: frozenClock(),
    ids: countingIds(),
    signer: signerOf(),
    testRuns: noTestRuns,
  };
  const all = { ...outside, tokenRequests: uncounted, recorder: unrecorded, ...ports };
  const log = { answered: () => undefined, failed: () => undefined };
  const handler = respond('token', tokenEdge(all, { origin }), { log, now: () => 0 });
  return async (
    form: string | Uint8Array,
    headers: Record<string, string> = {},
    several: Record<string, string[]> = {},
  ) => {
    const type = 'application/x-www-form-urlencoded';
    const isSeveral = Object.keys(several).length > 0;
    const event = proxyEvent({
      headers: { 'content-type': type, ...headers },
      ...(isSeveral ? { multiValueHeaders: { 'content-type': [type], ...several } } : {}),
      body: Buffer.from(form).toString('base64'),
      isBase64Encoded: true,
    });
    const { statusCode, headers: answered, body } = await handler(event);
    return { status: statusCode, headers: answered ?? {}, body: JSON.parse(body) };
  };
};
