import { limits } from '../contract/limits.ts';
import { type Refusal, refuse } from '../contract/refusals.ts';
import { type HttpResponse, refusalResponse } from '../http/response.ts';
import type { JsonObject } from '../json/value.ts';
import { servePublish, verdictResponse } from '../publishing/publish.http.ts';
import { audienceFor } from '../publishing/under-test.http.ts';
import { validate } from '../publishing/verdict.ts';
import type { Connection } from '../registry/connection.ts';
import { admit } from '../registry/registry.ts';
import { portalRefusal, portalResponse } from './browser.http.ts';
import type { Call, CallHandler, CallService } from './calls.http.ts';
import { changeable, noteHere, notYours } from './connection-changes.http.ts';
import type { PortalPorts } from './ports.ts';
import { standingAt } from './standing.ts';

/** The bytes of a message in a call; undefined if it has none. */
const bytesIn = ({ text, base64 }: JsonObject): Uint8Array | undefined => {
  if (typeof text === 'string') return Buffer.from(text, 'utf8');
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
};

/** What the bus says to the message of a call: as its gateway does, it refuses what is too long, and who is no active producer. */
const responseTo = async (
  { registry }: Pick<PortalPorts, 'registry'>,
  { subject: { w = '', c = '' } }: Call,
  { bytes, serve }: { bytes: Uint8Array; serve(body: Uint8Array, by: Connection): Promise<HttpResponse> },
) => {
  const caller = { connection: c, workspace: w };
  const refused = (refusal: Refusal) => refusalResponse(refusal, caller);
  const admitted = await admit(registry, caller, { workspace: w, kind: 'producer' });
  const response =
    admitted.kind === 'refused'
      ? refused(admitted)
      : bytes.byteLength > limits.messageBytes
        ? refused(refuse('message.too_large'))
        : await serve(bytes, admitted.connection);
  const { status, body: verdict, log } = response;
  if (typeof verdict !== 'object' || verdict === null) throw new Error('A verdict has no body.');
  return { status, verdict, log };
};

/** The response that a publish of the connection would get now; nothing is recorded or sent. */
const message: CallHandler<'validate.message'> = async (ports, call) => {
  const bytes = bytesIn(call.body);
  if (!bytes) return portalRefusal('request.invalid');
  const { status, verdict, log } = await responseTo(ports, call, {
    bytes,
    serve: async (body, connection) =>
      verdictResponse(
        await validate(ports)(body, connection, audienceFor(ports, connection)),
        connection,
        true,
      ),
  });
  return { ...portalResponse({ status, verdict }), log };
};

const tooMany = `People publish at most ${limits.publishesByHand.burst} messages at once as one connection. Wait a few seconds.`;

/** Publishes as the connection, for its own side only. Who published what may have been accepted is in the record of changes. */
const publish: CallHandler<'validate.publish'> = async (ports, call) => {
  const bytes = bytesIn(call.body);
  if (!bytes) return portalRefusal('request.invalid');
  const { c = '' } = call.subject;
  const owners = await changeable(ports, call);
  if (!owners) return portalRefusal('access.denied', notYours);
  if (!(await ports.sessions.countPublish(c, ports.clock.now())))
    return portalRefusal('session.busy', tooMany, { headers: { 'retry-after': '2' } });
  const { status, verdict, log } = await responseTo(ports, call, { bytes, serve: servePublish(ports) });
  const noted =
    status === 202 || status >= 500
      ? await noteHere(ports, call, {
          what: 'message.publish',
          facts: { message: String(log?.['messageId'] ?? '') },
          owners,
        })
      : {};
  return { ...portalResponse({ status, verdict, ...noted }), log };
};

/** `/api/validate/…`: what the bus would say to a message, and says. */
export const validateCalls: CallService<'validate'> = {
  standingOf: standingAt,
  handlers: { 'validate.message': message, 'validate.publish': publish },
};
