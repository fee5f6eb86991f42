import { limits } from '../contract/limits.ts';
import { type Refusal, refuse } from '../contract/refusals.ts';
import type { LedgerView } from '../delivery/log.ts';
import { type HttpResponse, refusalResponse } from '../http/response.ts';
import type { JsonObject } from '../json/value.ts';
import { verdictResponse } from '../publishing/publish.http.ts';
import { type AudiencePorts, audienceFor } from '../publishing/under-test.http.ts';
import { validate } from '../publishing/verdict.ts';
import { admit, type Registry } from '../registry/registry.ts';
import { portalRefusal, portalResponse } from './browser.http.ts';
import type { CallHandler, CallPorts, CallService } from './calls.http.ts';
import { type StandingPorts, standingAt } from './standing.ts';

export type ValidateCallPorts = CallPorts &
  AudiencePorts &
  StandingPorts & { readonly registry: Pick<Registry, 'connection'>; readonly ledger: LedgerView };

/** The bytes of a message in a call; undefined if it has none. */
const bytesIn = ({ text, base64 }: JsonObject): Uint8Array | undefined => {
  if (typeof text === 'string') return Buffer.from(text, 'utf8');
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
};

/** The response that a publish of the connection would get now; nothing is recorded or sent. */
const verdictOf = async (
  ports: ValidateCallPorts,
  { w, c }: { readonly w: string; readonly c: string },
  bytes: Uint8Array,
): Promise<HttpResponse> => {
  const refused = (refusal: Refusal) => refusalResponse(refusal, { connection: c, workspace: w });
  const admitted = await admit(
    ports.registry,
    { connection: c, workspace: w },
    { workspace: w, kind: 'producer' },
  );
  if (admitted.kind === 'refused') return refused(admitted);
  if (bytes.byteLength > limits.messageBytes) return refused(refuse('message.too_large'));
  const { connection } = admitted;
  const verdict = await validate(ports)(bytes, connection, audienceFor(ports, connection));
  return verdictResponse(verdict, connection, true);
};

const message =
  (ports: ValidateCallPorts): CallHandler<'validate.message'> =>
  async ({ subject: { w = '', c = '' }, body }) => {
    const bytes = bytesIn(body);
    if (!bytes) return portalRefusal('request.invalid');
    const { status, body: verdict, log } = await verdictOf(ports, { w, c }, bytes);
    if (typeof verdict !== 'object' || verdict === null) throw new Error('A verdict has no body.');
    return { ...portalResponse({ status, verdict }), log };
  };

/** `/api/validate/…`: what the bus would say to a message. */
export const validateCalls = (ports: ValidateCallPorts): CallService<'validate'> => ({
  standingOf: standingAt(ports),
  handlers: { 'validate.message': message(ports) },
});
