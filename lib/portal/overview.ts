import {
  addTo,
  type CountHistory,
  type HourOfCounts,
  noSums,
  percentile,
  type Sums,
} from '../activity/counts.ts';
import { dayMilliseconds, limits } from '../contract/limits.ts';
import { type Clock, iso } from '../contract/outside.ts';
import {
  type ConnectionCondition,
  type ConsumerLine,
  connectionConditions,
  type OverviewResponse,
  type ProducerLine,
} from '../contract/overview-responses.ts';
import type { QueueDepth, QueueDepths } from '../delivery/queues.ts';
import type { Connection } from '../registry/connection.ts';
import type { Principals } from '../registry/principals.ts';
import type { Archive } from '../replay/replay.ts';
import { oldestWaiting } from './outcomes.ts';

export interface OverviewPorts {
  readonly clock: Clock;
  readonly counts: CountHistory;
  readonly depths: QueueDepths;
  readonly archive: Archive;
  readonly principals: Pick<Principals, 'list'>;
}

const minuteMilliseconds = 60_000;
const hourMilliseconds = 60 * minuteMilliseconds;

interface Counted {
  readonly hour: Sums;
  readonly day: Sums;
  messageAt?: number;
  pullAt?: number;
  ackAt?: number;
  /** When the newest message that it acknowledged was accepted. */
  frontAt?: number;
}

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

const countedBy = (hours: readonly HourOfCounts[], now: number): ReadonlyMap<string, Counted> => {
  const found = new Map<string, Counted>();
  for (const one of hours) {
    const counted = found.get(one.connection) ?? { hour: noSums(), day: noSums() };
    found.set(one.connection, counted);
    addTo(time => (time > now - dayMilliseconds ? counted.day : undefined), one);
    addTo(time => (time > now - hourMilliseconds ? counted.hour : undefined), one);
    for (const moment of ['messageAt', 'pullAt', 'ackAt', 'frontAt'] as const) {
      const time = later(counted[moment], one[moment]);
      if (time !== undefined) counted[moment] = time;
    }
  }
  return found;
};

export const latenciesOf = ({ latencies }: Sums) => {
  const [p50, p95] = [percentile(latencies, 0.5), percentile(latencies, 0.95)];
  return p50 === undefined || p95 === undefined ? {} : { p50_ms: p50, p95_ms: p95 };
};

const consumerCounts = (sums: Sums) => {
  const { pulled, acknowledged, released } = sums.counts;
  return { pulled, acknowledged, released, ...latenciesOf(sums) };
};

export const producerCounts = ({ counts: { accepted, refused, repeated, limited } }: Sums) => ({
  accepted,
  refused,
  repeated,
  limited,
});

interface Looked {
  readonly connection: Connection;
  readonly appName: string;
  readonly counted: Counted;
}

const lineOf = ({ connection, appName }: Looked, condition: ConnectionCondition) => ({
  connection_id: connection.id,
  app_name: appName,
  organisation_id: connection.organisation,
  condition,
});

const stoppedAs = ({ isSuspended, status }: Connection): 'suspended' | 'paused' | undefined => {
  if (isSuspended) return 'suspended';
  return status === 'paused' ? 'paused' : undefined;
};

const producerLine = (looked: Looked): ProducerLine => {
  const { connection, counted } = looked;
  const [hour, day] = [producerCounts(counted.hour), producerCounts(counted.day)];
  const condition = (): ConnectionCondition => {
    if (hour.refused + hour.limited > 0) return 'refused';
    return Object.values(day).some(count => count > 0) ? 'well' : 'quiet';
  };
  return {
    ...lineOf(looked, stoppedAs(connection) ?? condition()),
    ...(counted.messageAt === undefined ? {} : { last_message_at: iso(counted.messageAt) }),
    hour,
    day,
  };
};

/** A message that waits for longer makes its consumer slow. */
const slowMilliseconds = minuteMilliseconds;

interface Held {
  readonly depth: QueueDepth | undefined;
  readonly oldestAt: number | undefined;
}

const consumerCondition = (
  { counted }: Looked,
  { depth, oldestAt }: Held,
  now: number,
): ConnectionCondition => {
  const waiting = depth ? depth.visible + depth.inFlight : 0;
  if (waiting > 0 && oldestAt !== undefined && now - oldestAt > slowMilliseconds)
    return (counted.ackAt ?? 0) < oldestAt ? 'stuck' : 'slow';
  return waiting === 0 && counted.pullAt === undefined ? 'quiet' : 'well';
};

const consumerLine = (looked: Looked, held: Held, now: number): ConsumerLine => {
  const { connection, counted } = looked;
  const { depth, oldestAt } = held;
  return {
    ...lineOf(looked, stoppedAs(connection) ?? consumerCondition(looked, held, now)),
    ...(depth ? { waiting: depth.visible + depth.inFlight, in_flight: depth.inFlight } : {}),
    ...(oldestAt === undefined ? {} : { oldest_seconds: Math.max(0, Math.floor((now - oldestAt) / 1000)) }),
    ...(counted.pullAt === undefined ? {} : { last_pull_at: iso(counted.pullAt) }),
    ...(counted.ackAt === undefined ? {} : { last_ack_at: iso(counted.ackAt) }),
    hour: consumerCounts(counted.hour),
    day: consumerCounts(counted.day),
  };
};

/** Queues that are asked at the same time. */
const width = 50;

const depthsOf = async (
  { depths }: OverviewPorts,
  consumers: readonly Looked[],
): Promise<ReadonlyMap<string, QueueDepth>> => {
  const found = new Map<string, QueueDepth>();
  for (let from = 0; from < consumers.length; from += width)
    await Promise.all(
      consumers.slice(from, from + width).map(async ({ connection: { id, queue } }) => {
        // A queue that cannot be asked hides no other.
        const depth = queue === undefined ? undefined : await depths.depth(queue).catch(() => undefined);
        if (depth) found.set(id, depth);
      }),
    );
  return found;
};

const consumerLines = async (
  ports: OverviewPorts,
  workspace: string,
  consumers: readonly Looked[],
): Promise<readonly ConsumerLine[]> => {
  const now = ports.clock.now();
  const [depths, principals] = await Promise.all([
    depthsOf(ports, consumers),
    ports.principals.list(workspace),
  ]);
  // What a cloud role takes from its queue is not recorded.
  const readers = new Set(
    principals.flatMap(({ connection, status }) => (status === 'verified' ? [connection] : [])),
  );
  const holding = consumers.filter(({ connection: { id } }) => {
    const { visible = 0, inFlight = 0 } = depths.get(id) ?? {};
    return visible + inFlight > 0 && !readers.has(id);
  });
  const behind = holding.map(({ connection, counted }) => ({
    connection: connection.id,
    front: counted.frontAt,
  }));
  const oldest = await oldestWaiting(ports.archive, { workspace, now }, behind);
  return consumers.map(looked => {
    const { id } = looked.connection;
    return consumerLine(looked, { depth: depths.get(id), oldestAt: oldest.get(id) }, now);
  });
};

const rankOf = ({ condition }: { readonly condition: ConnectionCondition }): number =>
  connectionConditions.indexOf(condition);

const worseConsumer = (a: ConsumerLine, b: ConsumerLine): number =>
  rankOf(a) - rankOf(b) ||
  (b.oldest_seconds ?? 0) - (a.oldest_seconds ?? 0) ||
  (b.waiting ?? 0) - (a.waiting ?? 0) ||
  a.app_name.localeCompare(b.app_name);

const troubles = ({ refused, limited }: ProducerLine['hour']): number => refused + limited;

const worseProducer = (a: ProducerLine, b: ProducerLine): number =>
  rankOf(a) - rankOf(b) ||
  troubles(b.hour) - troubles(a.hour) ||
  troubles(b.day) - troubles(a.day) ||
  a.app_name.localeCompare(b.app_name);

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
): Promise<{ readonly consumers: readonly ConsumerLine[]; readonly producers: readonly ProducerLine[] }> => {
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
    .filter(({ connection: { id }, appName }) =>
      `${appName} ${id}`.toLowerCase().includes(find.toLowerCase()),
    );
  const ofKind = (kind: Connection['kind']) => looked.filter(({ connection }) => connection.kind === kind);
  return {
    consumers: [...(await consumerLines(ports, workspace, ofKind('consumer')))].sort(worseConsumer),
    producers: ofKind('producer').map(producerLine).sort(worseProducer),
  };
};

/** What somebody wants to see of an overview. */
export interface OverviewWanted extends LinesWanted {
  readonly consumersAfter: number;
  readonly producersAfter: number;
}

const pageOf = <T>(lines: readonly T[], after: number) => ({
  lines: lines.slice(after, after + limits.portalPage),
  next: lines.length > after + limits.portalPage ? after + limits.portalPage : undefined,
});

/** How the connections of a workspace do, the worst first. */
export const readOverview = async (
  ports: OverviewPorts,
  workspace: string,
  wanted: OverviewWanted,
): Promise<OverviewResponse> => {
  const { consumers, producers } = await connectionLines(ports, workspace, wanted);
  const shownConsumers = pageOf(consumers, wanted.consumersAfter);
  const shownProducers = pageOf(producers, wanted.producersAfter);
  const inTrouble = [...consumers, ...producers].filter(
    line => rankOf(line) < connectionConditions.indexOf('well'),
  );
  return {
    consumers: shownConsumers.lines,
    producers: shownProducers.lines,
    totals: {
      consumers: consumers.length,
      producers: producers.length,
      in_trouble: inTrouble.length,
      waiting: consumers.reduce((sum, { waiting = 0 }) => sum + waiting, 0),
    },
    ...(shownConsumers.next === undefined ? {} : { next_consumers: shownConsumers.next }),
    ...(shownProducers.next === undefined ? {} : { next_producers: shownProducers.next }),
  };
};
