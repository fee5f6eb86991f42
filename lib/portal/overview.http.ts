import { lifeOf, lifeSeenBy } from '../activity/message-life.ts';
import { type Found, volumeRanges } from '../contract/overview-responses.ts';
import { portalRefusal, portalResponse } from './browser.http.ts';
import type { CallHandler } from './calls.http.ts';
import { readOverview } from './overview.ts';
import type { PortalPorts } from './ports.ts';
import { isNext, search } from './search.ts';
import { onlyOf } from './seen.ts';
import { appNames, visibleConnections } from './standing.ts';
import { readVolume } from './volume.ts';

/** Of a search; longer ones mean no story. */
const maxSought = 200;

/** A message by its whole id, refused ones included. @param only whose messages may be seen; absent: everybody's */
const messageFound = async (
  ports: PortalPorts,
  { w, m }: { readonly w: string; readonly m: string },
  only: ReadonlySet<string> | undefined,
): Promise<readonly Found[]> => {
  const found = await lifeOf(ports)(w, m);
  const life = found && only ? lifeSeenBy(found, only) : found;
  if (!life) return [];
  const { messageId, accepted } = life;
  if (!accepted) return [{ kind: 'message', message_id: messageId }];
  const { messageType, correlationId, acceptedAt } = accepted;
  return [
    {
      kind: 'message',
      message_id: messageId,
      message_type: messageType,
      correlation_id: correlationId,
      accepted_at: new Date(acceptedAt).toISOString(),
    },
  ];
};

export const findCall: CallHandler<'workspace.search'> = async (ports, call) => {
  const { q = '', after } = call.request.query;
  const text = q.trim();
  if (text === '' || text.length > maxSought || (after !== undefined && !isNext(after)))
    return portalRefusal('request.invalid');
  const { w = '' } = call.subject;
  const connections = await visibleConnections(ports, w, call);
  const only = call.standing.own === undefined ? new Set(connections.map(({ id }) => id)) : undefined;
  const sought = { text, after, connections, appNames: await appNames(ports, connections), only };
  const [whole, response] = await Promise.all([
    after === undefined ? messageFound(ports, { w, m: text }, only) : [],
    search(ports, w, sought),
  ]);
  const isOther = (one: Found) => one.kind !== 'message' || one.message_id !== text;
  return portalResponse({ ...response, found: [...whole, ...response.found.filter(isOther)] });
};

const offsetForm = /^\d{1,4}$/;

export const overviewCall: CallHandler<'workspace.overview'> = async (ports, call) => {
  const {
    find = '',
    consumers_after: consumersAfter = '0',
    producers_after: producersAfter = '0',
  } = call.request.query;
  if (![consumersAfter, producersAfter].every(one => offsetForm.test(one)))
    return portalRefusal('request.invalid');
  const { w = '' } = call.subject;
  const connections = await visibleConnections(ports, w, call);
  const wanted = {
    connections,
    appNames: await appNames(ports, connections),
    find: find.trim(),
    consumersAfter: Number(consumersAfter),
    producersAfter: Number(producersAfter),
  };
  return portalResponse(await readOverview(ports, w, wanted));
};

export const volumeCall: CallHandler<'workspace.volume'> = async (ports, call) => {
  const { range: asked = 'hour', connection } = call.request.query;
  const range = volumeRanges.find(one => one === asked);
  if (range === undefined) return portalRefusal('request.invalid');
  const seen = await onlyOf(ports, call);
  const isSeen = connection !== undefined && (seen?.has(connection) ?? true);
  const only = connection === undefined ? seen : new Set(isSeen ? [connection] : []);
  return portalResponse(await readVolume(ports, call.subject['w'] ?? '', { range, only }));
};
