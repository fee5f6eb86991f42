import { limits } from '../contract/limits.ts';
import { portalRefusal, portalResponse } from './browser.http.ts';
import type { CallHandler } from './calls.http.ts';
import { badPosition } from './lists.http.ts';
import { isOwnSide, ownersOf } from './standing.ts';

const notKept =
  'The text of this refusal is not kept. An owner can have those of the organisation kept for a day.';

/** What a connection sent and the bus refused, for members of its own organisation. */
export const refusedText: CallHandler<'connection.refusedText'> = async (ports, call) => {
  const { at = '', message: messageId = '' } = call.request.query;
  const time = Date.parse(at);
  if (Number.isNaN(time) || messageId.length > limits.idCharacters)
    return portalRefusal('request.invalid', badPosition);
  const owners = await ownersOf(ports, call);
  const since = isOwnSide(call.standing, owners, 'viewer')
    ? await ports.refusedTexts.keptSince(owners.organisation)
    : undefined;
  const refusal = { connection: call.subject['c'] ?? '', at: time, messageId };
  // An owner who had none kept for a while does not get back what came before.
  const isKept = since !== undefined && time >= since;
  const text = isKept ? await ports.refusedTexts.find(refusal, ports.clock.now()) : undefined;
  return text
    ? portalResponse({ content: Buffer.from(text).toString('base64') })
    : portalRefusal('portal.not_found', notKept);
};
