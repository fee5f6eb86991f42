import { addTo, type CountHistory, noSums, type Sums } from '../activity/counts.ts';
import { lifeOf, lifeSeenBy } from '../activity/message-life.ts';
import { type Clock, iso } from '../contract/outside.ts';
import {
  type Found,
  type VolumePoint,
  type VolumeResponse,
  volumeRanges,
} from '../contract/overview-responses.ts';
import { portalRefusal, portalResponse } from './browser.http.ts';
import type { CallHandler } from './calls.http.ts';
import { latenciesOf, producerCounts, readOverview } from './overview.ts';
import type { PortalPorts } from './ports.ts';
import { isNext, search } from './search.ts';
import { appNames, onlyOf, visibleConnections } from './standing.ts';

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

const ranges = {
  hour: { steps: 60, stepSeconds: 60 },
  day: { steps: 96, stepSeconds: 900 },
  week: { steps: 168, stepSeconds: 3_600 },
} as const satisfies Record<VolumeResponse['range'], object>;

const pointOf = (at: number, sums: Sums): VolumePoint => {
  const { delivered, pulled, acknowledged } = sums.counts;
  return { at: iso(at), ...producerCounts(sums), delivered, pulled, acknowledged, ...latenciesOf(sums) };
};

/** How much some connections published and consumed, step by step; of all connections if none are named. */
export const readVolume = async (
  { clock, counts }: { readonly clock: Clock; readonly counts: CountHistory },
  workspace: string,
  {
    range,
    only,
  }: { readonly range: VolumeResponse['range']; readonly only: ReadonlySet<string> | undefined },
): Promise<VolumeResponse> => {
  const { steps, stepSeconds } = ranges[range];
  const step = stepSeconds * 1000;
  const now = clock.now();
  const first = Math.floor(now / step) * step - (steps - 1) * step;
  const read = await counts[range === 'week' ? 'days' : 'hours'](workspace, { from: first, to: now });
  const sums = Array.from({ length: steps }, noSums);
  for (const one of read.hours)
    if (only === undefined || only.has(one.connection))
      addTo(time => sums[Math.floor((time - first) / step)], one);
  return {
    range,
    points: sums.map((one, index) => pointOf(first + index * step, one)),
    is_complete: read.isComplete,
  };
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
