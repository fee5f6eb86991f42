import type { RefusedTexts } from '../activity/records.ts';
import { limits } from '../contract/limits.ts';
import { portalRefusal, portalResponse } from './browser.http.ts';
import type { CallHandler, CallPorts } from './calls.http.ts';
import { badPosition } from './lists.http.ts';
import { isOwnSide, ownersOf, type StandingPorts } from './standing.ts';

export type TextPorts = CallPorts &
  StandingPorts & { readonly refusedTexts: Pick<RefusedTexts, 'keeps' | 'find'> };

const notKept =
  'The text of this refusal is not kept. An owner can have those of the organisation kept for a day.';

/** What a connection sent and the bus refused, for members of its own organisation. */
export const refusedText =
  (ports: TextPorts): CallHandler<'connection.refusedText'> =>
  async call => {
    const { at = '', message: messageId = '' } = call.request.query;
    const time = Date.parse(at);
    if (Number.isNaN(time) || messageId.length > limits.idCharacters)
      return portalRefusal('request.invalid', badPosition);
    const owners = await ownersOf(ports, call);
    const isKept =
      isOwnSide(call.standing, owners, 'viewer') && (await ports.refusedTexts.keeps(owners.organisation));
    const refusal = { connection: call.subject['c'] ?? '', at: time, messageId };
    const text = isKept ? await ports.refusedTexts.find(refusal, ports.clock.now()) : undefined;
    return text
      ? portalResponse({ content: Buffer.from(text).toString('base64') })
      : portalRefusal('portal.not_found', notKept);
  };
