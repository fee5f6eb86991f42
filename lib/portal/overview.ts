import type { Connection } from '../access/registry/connection.ts';
import type { Principals } from '../access/trust/principals.ts';
import {
  addTo,
  type CountHistory,
  type HourOfCounts,
  moments,
  noSums,
  percentile,
  type SummedCounts,
} from '../bus/activity/counts.ts';
import type { HeldMessages, QueueDepth, QueueDepths } from '../bus/delivery/queues.ts';
import type { Archive } from '../bus/replay/replay.ts';
import { dayMilliseconds, limits } from '../contract/limits.ts';
import { type Clock, folded, iso } from '../contract/outside.ts';
import {
  type ConnectionCondition,
  type ConsumerLine,
  connectionConditions,
  type OverviewResponse,
  type ProducerLine,
  type VolumePoint,
  type VolumeResponse,
} from '../contract/portal/overview-responses.ts';
import { oldestWaiting } from './outcomes.ts';

export interface OverviewPorts {
  readonly clock: Clock;
  readonly counts: CountHistory;
  readonly depths: QueueDepths;
  readonly archive: Archive;
  readonly principals: Pick<Principals, 'list'>;
  readonly queueAges: HeldMessages;
}

const minuteMilliseconds = 60_000;
const hourMilliseconds = 60 * minuteMilliseconds;

/** `frontAt`: when the newest message that it acknowledged was accepted. */
type Counted = { readonly hour: SummedCounts; readonly day: SummedCounts } & {
  [Moment in (typeof moments)[number]]?: number;
};

const countedBy = (hours: readonly HourOfCounts[], now: number): ReadonlyMap<string, Counted> => {
  const found = new Map<string, Counted>();
  for (const one of hours) {
    const counted = found.get(one.connection) ?? { hour: noSums(), day: noSums() };
    found.set(one.connection, counted);
    // Each count goes into the sums of its time, and nowhere if it is older.
    addTo(time => (time > now - dayMilliseconds ? counted.day : undefined), one);
    addTo(time => (time > now - hourMilliseconds ? counted.hour : undefined), one);
    for (const moment of moments) {
      const time = one[moment];
      if (time !== undefined && time > (counted[moment] ?? 0)) counted[moment] = time;
    }
  }
  return found;
};

const latenciesOf = ({ latencies }: SummedCounts) => {
  const [p50, p95] = [percentile(latencies, 0.5), percentile(latencies, 0.95)];
  return p50 === undefined || p95 === undefined ? {} : { p50_ms: p50, p95_ms: p95 };
};

const consumerCounts = (sums: SummedCounts) => {
  const { pulled, acknowledged, released } = sums.counts;
  return { pulled, acknowledged, released, ...latenciesOf(sums) };
};

const producerCounts = ({ counts: { accepted, refused, repeated, limited } }: SummedCounts) => ({
  accepted,
  refused,
  repeated,
  limited,
});

const refusals = ({ refused, limited }: ProducerLine['hour']): number => refused + limited;

interface Looked {
  readonly connection: Connection;
  readonly appName: string;
  readonly counted: Counted;
}

const stopped = ({ isSuspended, status }: Connection): 'suspended' | 'paused' | undefined => {
  if (isSuspended) return 'suspended';
  return status === 'paused' ? 'paused' : undefined;
};

/** @param condition of a connection that is neither suspended nor paused */
const lineOf = ({ connection, appName }: Looked, condition: ConnectionCondition) => ({
  connection_id: connection.id,
  app_name: appName,
  organisation_id: connection.organisation,
  condition: stopped(connection) ?? condition,
});

const producerCondition = (
  { refused, limited }: ProducerLine['hour'],
  isQuiet: boolean,
): ConnectionCondition => {
  if (refused > 0) return 'refused';
  if (limited > 0) return 'limited';
  return isQuiet ? 'quiet' : 'well';
};

const producerLine = (looked: Looked): ProducerLine => {
  const { counted } = looked;
  const [hour, day] = [producerCounts(counted.hour), producerCounts(counted.day)];
  const isQuiet = Object.values(day).every(count => count === 0);
  return {
    ...lineOf(looked, producerCondition(hour, isQuiet)),
    ...(counted.messageAt !== undefined && { last_message_at: iso(counted.messageAt) }),
    hour,
    day,
  };
};

interface Held {
  readonly depth: QueueDepth | undefined;
  readonly oldestAt: number | undefined;
  /** What a cloud role takes from its queue is not recorded. */
  readonly isReadByRole: boolean;
}

const waitingIn = (depth: QueueDepth | undefined): number =>
  depth ? depth.visible + depth.inFlight : 0;

const consumerCondition = (
  { counted }: Looked,
  { depth, oldestAt, isReadByRole }: Held,
  now: number,
): ConnectionCondition => {
  const waiting = waitingIn(depth);
  // A message that waits for longer makes its consumer slow.
  if (waiting > 0 && oldestAt !== undefined && now - oldestAt > minuteMilliseconds) {
    const isStuck = !isReadByRole && (counted.ackAt ?? 0) < oldestAt;
    return isStuck ? 'stuck' : 'slow';
  }
  return waiting === 0 && counted.pullAt === undefined ? 'quiet' : 'well';
};

const consumerLine = (looked: Looked, held: Held, now: number): ConsumerLine => {
  const { counted } = looked;
  const { depth, oldestAt } = held;
  return {
    ...lineOf(looked, consumerCondition(looked, held, now)),
    ...(depth && { waiting: waitingIn(depth), in_flight: depth.inFlight }),
    ...(oldestAt !== undefined && {
      oldest_seconds: Math.max(0, Math.floor((now - oldestAt) / 1000)),
    }),
    ...(counted.pullAt !== undefined && { last_pull_at: iso(counted.pullAt) }),
    ...(counted.ackAt !== undefined && { last_ack_at: iso(counted.ackAt) }),
    hour: consumerCounts(counted.hour),
    day: consumerCounts(counted.day),
  };
};

/** Queues that are asked at the same time. */
const width = 50;

/**
 * What the queues of some consumers tell, by connection. A queue that cannot be asked hides no
 * other.
 */
const askQueues = async <T>(
  consumers: readonly Looked[],
  ask: (queue: string) => Promise<T | undefined>,
): Promise<ReadonlyMap<string, T>> => {
  const found = new Map<string, T>();
  for (let from = 0; from < consumers.length; from += width)
    await Promise.all(
      consumers.slice(from, from + width).map(async ({ connection: { id, queue } }) => {
        const told = queue === undefined ? undefined : await ask(queue).catch(() => undefined);
        if (told !== undefined) found.set(id, told);
      }),
    );
  return found;
};

/**
 * When the oldest message came that waits for some consumers, by connection. The archive tells it of
 * those that pull; of the others SQS tells it, some minutes late.
 */
const oldestHeld = async (
  { archive, queueAges }: OverviewPorts,
  { workspace, readers, now }: { workspace: string; readers: ReadonlySet<string>; now: number },
  waiting: readonly Looked[],
): Promise<ReadonlyMap<string, number>> => {
  const pulling = waiting.filter(({ connection }) => !readers.has(connection.id));
  const behind = pulling.map(({ connection, counted }) => ({
    connection: connection.id,
    front: counted.frontAt,
  }));
  const archived = await oldestWaiting(archive, { workspace, now }, behind);

  const untold = waiting.filter(({ connection }) => !archived.has(connection.id));
  const queued = await askQueues(untold.slice(0, width), queue => queueAges.heldSince(queue));
  return new Map([...archived, ...queued]);
};

const consumerLines = async (
  ports: OverviewPorts,
  workspace: string,
  consumers: readonly Looked[],
): Promise<readonly ConsumerLine[]> => {
  const now = ports.clock.now();
  const [depths, principals] = await Promise.all([
    askQueues(consumers, queue => ports.depths.depth(queue)),
    ports.principals.list(workspace),
  ]);
  const readers = new Set(
    principals.flatMap(({ connection, status }) => (status === 'verified' ? [connection] : [])),
  );

  const waiting = consumers.filter(({ connection }) => waitingIn(depths.get(connection.id)) > 0);
  const oldest = await oldestHeld(ports, { workspace, readers, now }, waiting);
  return consumers.map(looked => {
    const { id } = looked.connection;
    const held = {
      depth: depths.get(id),
      oldestAt: oldest.get(id),
      isReadByRole: readers.has(id),
    };
    return consumerLine(looked, held, now);
  });
};

const rankOf = ({ condition }: { readonly condition: ConnectionCondition }): number =>
  connectionConditions.indexOf(condition);

const worseConsumer = (a: ConsumerLine, b: ConsumerLine): number =>
  rankOf(a) - rankOf(b) ||
  (b.oldest_seconds ?? 0) - (a.oldest_seconds ?? 0) ||
  (b.waiting ?? 0) - (a.waiting ?? 0) ||
  a.app_name.localeCompare(b.app_name);

const worseProducer = (a: ProducerLine, b: ProducerLine): number =>
  rankOf(a) - rankOf(b) ||
  refusals(b.hour) - refusals(a.hour) ||
  refusals(b.day) - refusals(a.day) ||
  a.app_name.localeCompare(b.app_name);

/** What a list of them may be sorted by; a number that is not known is the least. */
const consumerKeys = {
  name: ({ app_name: name }: ConsumerLine) => folded(name),
  waiting: ({ waiting = -1 }: ConsumerLine) => waiting,
  oldest: ({ oldest_seconds: oldest = -1 }: ConsumerLine) => oldest,
  last_pull: ({ last_pull_at: at = '' }: ConsumerLine) => at,
  last_ack: ({ last_ack_at: at = '' }: ConsumerLine) => at,
  p50: ({ hour: { p50_ms: p50 = -1 } }: ConsumerLine) => p50,
  p95: ({ hour: { p95_ms: p95 = -1 } }: ConsumerLine) => p95,
  acknowledged: ({ day }: ConsumerLine) => day.acknowledged,
} as const;

const producerKeys = {
  name: ({ app_name: name }: ProducerLine) => folded(name),
  accepted_hour: ({ hour }: ProducerLine) => hour.accepted,
  accepted_day: ({ day }: ProducerLine) => day.accepted,
  refused_hour: ({ hour }: ProducerLine) => hour.refused,
  refused_day: ({ day }: ProducerLine) => day.refused,
  limited_day: ({ day }: ProducerLine) => day.limited,
  last_message: ({ last_message_at: at = '' }: ProducerLine) => at,
} as const;

type LineKey<Line> = (line: Line) => string | number;

const compared = (one: string | number, other: string | number): number => {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return `${one}`.localeCompare(`${other}`);
};

/**
 * All lines in the order that somebody asks for, such as `waiting` or, the greatest first,
 * `-waiting`; the worst first if it is empty. Undefined if there is no such order.
 */
const inOrder = <Line extends object>(
  lines: readonly Line[],
  keys: Readonly<Record<string, LineKey<Line>>>,
  order: string,
): readonly Line[] | undefined => {
  if (order === '') return lines;
  const isDescending = order.startsWith('-');
  const name = isDescending ? order.slice(1) : order;
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (key === undefined) return undefined;
  const factor = isDescending ? -1 : 1;
  return [...lines].sort((a, b) => factor * compared(key(a), key(b)));
};

interface LinesWanted {
  readonly connections: readonly Connection[];
  readonly appNames: ReadonlyMap<string, string>;
  readonly find: string;
}

/** How each of some connections does, the worst first. */
export const connectionLines = async (
  ports: OverviewPorts,
  workspace: string,
  { connections, appNames, find }: LinesWanted,
): Promise<{
  readonly consumers: readonly ConsumerLine[];
  readonly producers: readonly ProducerLine[];
}> => {
  const now = ports.clock.now();
  const { hours } = await ports.counts.hours(workspace, { from: now - dayMilliseconds, to: now });
  const counted = countedBy(hours, now);
  const looked = connections
    .filter(({ status }) => status !== 'revoked')
    .map(connection => ({
      connection,
      appName: appNames.get(connection.app) ?? connection.app,
      counted: counted.get(connection.id) ?? { hour: noSums(), day: noSums() },
    }))
    .filter(({ connection: { id }, appName }) => folded(`${appName} ${id}`).includes(folded(find)));
  const ofKind = (kind: Connection['kind']) =>
    looked.filter(({ connection }) => connection.kind === kind);
  return {
    consumers: [...(await consumerLines(ports, workspace, ofKind('consumer')))].sort(worseConsumer),
    producers: ofKind('producer').map(producerLine).sort(worseProducer),
  };
};

interface OverviewWanted extends LinesWanted {
  readonly consumersAfter: number;
  readonly producersAfter: number;
  /** How each list is sorted; empty: the worst first. */
  readonly consumersSort: string;
  readonly producersSort: string;
}

/** How the connections of a workspace do; undefined if a list has no such order. */
export const readOverview = async (
  ports: OverviewPorts,
  workspace: string,
  wanted: OverviewWanted,
): Promise<OverviewResponse | undefined> => {
  const lines = await connectionLines(ports, workspace, wanted);
  const { consumersAfter, producersAfter } = wanted;
  const consumers = inOrder(lines.consumers, consumerKeys, wanted.consumersSort);
  const producers = inOrder(lines.producers, producerKeys, wanted.producersSort);
  if (consumers === undefined || producers === undefined) return undefined;

  const consumersEnd = consumersAfter + limits.portalPage;
  const producersEnd = producersAfter + limits.portalPage;
  const inTrouble = [...consumers, ...producers].filter(
    line => rankOf(line) < connectionConditions.indexOf('well'),
  );
  return {
    consumers: consumers.slice(consumersAfter, consumersEnd),
    producers: producers.slice(producersAfter, producersEnd),
    totals: {
      consumers: consumers.length,
      producers: producers.length,
      in_trouble: inTrouble.length,
      waiting: consumers.reduce((sum, { waiting = 0 }) => sum + waiting, 0),
    },
    ...(consumersEnd < consumers.length && { next_consumers: consumersEnd }),
    ...(producersEnd < producers.length && { next_producers: producersEnd }),
  };
};

const ranges = {
  hour: { steps: 60, stepSeconds: 60 },
  day: { steps: 96, stepSeconds: 900 },
  week: { steps: 168, stepSeconds: 3_600 },
} as const satisfies Record<VolumeResponse['range'], object>;

const pointOf = (at: number, sums: SummedCounts): VolumePoint => {
  const { delivered, pulled, acknowledged } = sums.counts;
  return {
    at: iso(at),
    ...producerCounts(sums),
    delivered,
    pulled,
    acknowledged,
    ...latenciesOf(sums),
  };
};

/**
 * How much some connections published and consumed, step by step; of all connections if none are
 * named.
 */
export const readVolume = async (
  { clock, counts }: Pick<OverviewPorts, 'clock' | 'counts'>,
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
  const read = await counts[range === 'week' ? 'days' : 'hours'](workspace, {
    from: first,
    to: now,
  });
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
