import type { Connection } from '../access/registry/connection.ts';
import { admit } from '../access/registry/registry.ts';
import { servePublish, verdictResponse } from '../bus/publishing/publish.http.ts';
import { validate } from '../bus/publishing/verdict.ts';
import { audienceFor, runAudience } from '../checks/run-audience.http.ts';
import { limits } from '../contract/limits.ts';
import { refuse } from '../contract/refusals.ts';
import { type HttpResponse, refusalResponse } from '../platform/http/response.ts';
import { invalidRequest, notYours, portalRefusal, portalResponse } from './browser.http.ts';
import { type Call, type CallHandlers, note } from './calls.http.ts';
import type { PortalPorts } from './ports.ts';
import { isOwnSide } from './standing.ts';

const postedMessage = (text: unknown, base64: unknown): Buffer | undefined => {
  if (typeof text === 'string') return Buffer.from(text, 'utf8');
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
};

/**
 * What the bus says to the message of a call: as its gateway does, it refuses what is too long, and
 * who is no active producer. Undefined if the call has no message.
 */
const responseTo = async (
  { registry }: PortalPorts,
  { subject: { w, c }, body: { text, base64 } }: Call,
  serve: (body: Uint8Array, by: Connection) => Promise<HttpResponse>,
) => {
  const bytes = postedMessage(text, base64);
  if (!bytes) return undefined;

  const caller = { connection: c, workspace: w };
  const respond = async (): Promise<HttpResponse> => {
    const admitted = await admit(registry, caller, { workspace: w, kind: 'producer' });
    if (admitted.kind === 'refused') return refusalResponse(admitted, caller);
    if (bytes.byteLength > limits.messageBytes)
      return refusalResponse(refuse('message.too_large'), caller);
    return serve(bytes, admitted.connection);
  };
  const response = await respond();
  const { status, body: verdict, log } = response;
  if (typeof verdict !== 'object' || verdict === null) throw new Error('A verdict has no body.');
  return { status, verdict, log };
};

const tooMany =
  `People publish at most ${limits.publishesByHand.burst} messages at once as one connection. ` +
  'Wait a few seconds.';

export const validateCalls: CallHandlers<'validate'> = {
  /** The response that a publish of the connection would get now; nothing is recorded or sent. */
  'validate.message': async (ports, call) => {
    const response = await responseTo(ports, call, async (body, connection) =>
      verdictResponse(
        await validate(ports)(body, connection, audienceFor(ports, connection)),
        connection,
        true,
      ),
    );
    if (!response) return invalidRequest;
    const { log, ...verdict } = response;
    return { ...portalResponse(verdict), log };
  },

  /**
   * Publishes as the connection, for its own side only. Who published what may have been accepted
   * is in the record of changes.
   */
  'validate.publish': async (ports, call) => {
    if (!isOwnSide(call, 'editor')) return notYours;
    if (!(await ports.sessions.countPublish(call.subject.c, ports.clock.now())))
      return portalRefusal('session.busy', tooMany, { headers: { 'retry-after': '2' } });
    const serve = servePublish({ ...ports, audience: runAudience(ports) });
    const response = await responseTo(ports, call, serve);
    if (!response) return invalidRequest;
    const { log, ...verdict } = response;
    const facts = { message: String(log.messageId ?? '') };
    const noted =
      verdict.status === 202 || verdict.status >= 500
        ? await note(ports, call, { what: 'message.publish', facts })
        : {};
    return { ...portalResponse({ ...verdict, ...noted }), log };
  },
};
