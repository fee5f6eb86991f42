import { addTo, noSums, type Sums } from '../activity/counts.ts';
import { iso } from '../contract/outside.ts';
import {
  type Found,
  type VolumePoint,
  type VolumeResponse,
  volumeRanges,
} from '../contract/overview-responses.ts';
import { portalRefusal } from './browser.http.ts';
import type { CallHandler, CallHandlers } from './calls.http.ts';
import { latenciesOf, producerCounts, readOverview } from './overview.ts';
import type { PortalPorts } from './ports.ts';
import { isNext, messageFound, search } from './search.ts';
import { appNames, lifeSeen, onlyOf, visibleConnections } from './standing.ts';

/** Of a search; longer ones mean no story. */
const maxSought = 200;

const find: CallHandler<'workspace.search'> = async (ports, call) => {
  const { q = '', after } = call.query;
  const text = q.trim();
  if (text === '' || text.length > maxSought || (after !== undefined && !isNext(after)))
    return portalRefusal('request.invalid');
  const { w } = call.subject;
  const connections = await visibleConnections(ports, call);
  const only = call.standing.own === undefined ? new Set(connections.map(({ id }) => id)) : undefined;
  const sought = { text, after, connections, appNames: await appNames(ports, connections), only };
  const [life, response] = await Promise.all([
    after === undefined ? lifeSeen(ports, { w, m: text }, only) : undefined,
    search(ports, w, sought),
  ]);
  // A message by its whole id, refused ones included.
  const whole: readonly Found[] = life
    ? [life.accepted ? messageFound(life.accepted) : { kind: 'message', message_id: life.messageId }]
    : [];
  const isOther = (one: Found) => one.kind !== 'message' || one.message_id !== text;
  return { ...response, found: [...whole, ...response.found.filter(isOther)] };
};

const offsetForm = /^\d{1,4}$/;

const overview: CallHandler<'workspace.overview'> = async (ports, call) => {
  const {
    find = '',
    consumers_after: consumersAfter = '0',
    producers_after: producersAfter = '0',
  } = call.query;
  if (![consumersAfter, producersAfter].every(one => offsetForm.test(one)))
    return portalRefusal('request.invalid');
  const connections = await visibleConnections(ports, call);
  const wanted = {
    connections,
    appNames: await appNames(ports, connections),
    find: find.trim(),
    consumersAfter: Number(consumersAfter),
    producersAfter: Number(producersAfter),
  };
  return readOverview(ports, call.subject.w, wanted);
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
  { clock, counts }: Pick<PortalPorts, 'clock' | 'counts'>,
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

const volume: CallHandler<'workspace.volume'> = async (ports, call) => {
  const { range: asked = 'hour', connection } = call.query;
  const range = volumeRanges.find(one => one === asked);
  if (range === undefined) return portalRefusal('request.invalid');
  const seen = await onlyOf(ports, call);
  const isSeen = connection !== undefined && (seen?.has(connection) ?? true);
  const only = connection === undefined ? seen : new Set(isSeen ? [connection] : []);
  return readVolume(ports, call.subject.w, { range, only });
};

export const overviewCalls = {
  'workspace.search': find,
  'workspace.overview': overview,
  'workspace.volume': volume,
} satisfies Partial<CallHandlers<'workspace'>>;
