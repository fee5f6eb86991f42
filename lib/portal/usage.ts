import type { Members } from '../access/people/members.ts';
import type { Directory } from '../access/people/organisations.ts';
import { type Connection, type Connections, quotaOf } from '../access/registry/connection.ts';
import type { Counter, CountHistory } from '../bus/activity/counts.ts';
import { dayMilliseconds } from '../contract/limits.ts';
import { defined } from '../contract/outside.ts';
import type { UsageLine } from '../contract/portal/operator-responses.ts';

export interface UsagePorts {
  readonly counts: Pick<CountHistory, 'hours'>;
  readonly directory: Pick<Directory, 'find' | 'page'>;
  readonly members: Pick<Members, 'placesOf'>;
  readonly connections: Pick<Connections, 'ofWorkspace'>;
}

/** Workspaces that one request reads: the counts of a full one are a few megabytes. */
const workspacesRead = 20;

/** A day as it is counted, and as quotas begin: in UTC. */
export const startOfDay = (now: number): number => now - (now % dayMilliseconds);

type Counts = ReadonlyMap<Counter, number>;

interface WorkspaceDay {
  readonly connections: readonly Connection[];
  /** By connection. */
  readonly counts: ReadonlyMap<string, Counts>;
  readonly isComplete: boolean;
}

const readDay = async (ports: UsagePorts, workspace: string, now: number) => {
  const range = { from: startOfDay(now), to: now };
  const [{ hours, isComplete }, connections] = await Promise.all([
    ports.counts.hours(workspace, range),
    ports.connections.ofWorkspace(workspace),
  ]);
  const counts = new Map<string, Map<Counter, number>>();
  for (const hour of hours) {
    const sums = counts.get(hour.connection) ?? new Map<Counter, number>();
    counts.set(hour.connection, sums);
    for (const { counter, count } of hour.counts)
      sums.set(counter, (sums.get(counter) ?? 0) + count);
  }
  return { connections, counts, isComplete };
};

/** Its own workspaces, and those that it is a guest of. */
const workspacesOf = async ({ directory, members }: UsagePorts, organisation: string) => {
  const part = { max: workspacesRead + 1 };
  const [own, places] = await Promise.all([
    directory.page('workspace', organisation, part),
    members.placesOf(organisation, part),
  ]);
  const found = [...own.entries.map(({ id }) => id), ...places.entries];
  const isMore = own.next !== undefined || places.next !== undefined;
  return {
    workspaces: found.slice(0, workspacesRead),
    areAll: !isMore && found.length <= workspacesRead,
  };
};

interface Share {
  readonly connection: Connection;
  readonly published: number;
  readonly perDay: number;
}

const shareOf = (connection: Connection, counts: Counts): Share => {
  const requests = (['accepted', 'refused', 'repeated'] as const).map(one => counts.get(one) ?? 0);
  return {
    connection,
    published: requests.reduce((sum, one) => sum + one, 0),
    perDay: quotaOf(connection).perDay,
  };
};

const busiestOf = async ({ directory }: UsagePorts, shares: readonly Share[]) => {
  const ranked = shares
    .filter(({ published }) => published > 0)
    .sort((a, b) => b.published / b.perDay - a.published / a.perDay);
  const [first] = ranked;
  if (first === undefined) return undefined;
  const { connection, published, perDay } = first;
  const app = await directory.find('app', connection.app);
  return {
    connection_id: connection.id,
    app_name: app?.name ?? connection.app,
    published,
    per_day: perDay,
  };
};

const lineOf = async (
  ports: UsagePorts,
  id: string,
  { days, areAll }: { readonly days: readonly WorkspaceDay[]; readonly areAll: boolean },
): Promise<UsageLine> => {
  const shares: Share[] = [];
  const sums = { accepted: 0, refused: 0, limited: 0, delivered: 0, acknowledged: 0 };
  const counters = ['accepted', 'refused', 'limited', 'delivered', 'acknowledged'] as const;
  for (const { connections, counts } of days) {
    for (const connection of connections.filter(({ organisation }) => organisation === id)) {
      const counted = counts.get(connection.id);
      if (counted === undefined) continue;
      shares.push(shareOf(connection, counted));
      for (const counter of counters) sums[counter] += counted.get(counter) ?? 0;
    }
  }
  return {
    organisation_id: id,
    ...sums,
    ...defined({ busiest: await busiestOf(ports, shares) }),
    is_complete: areAll && days.every(({ isComplete }) => isComplete),
  };
};

/**
 * What organisations did today, in their order: as many as one request may read, and at least one.
 * A workspace that several work in is read once.
 */
export const readUsage = async (
  ports: UsagePorts,
  organisations: readonly string[],
  now: number,
): Promise<readonly UsageLine[]> => {
  const days = new Map<string, WorkspaceDay>();
  const lines: UsageLine[] = [];
  for (const organisation of organisations) {
    const { workspaces, areAll } = await workspacesOf(ports, organisation);
    const fresh = workspaces.filter(one => !days.has(one));
    if (lines.length > 0 && days.size + fresh.length > workspacesRead) break;
    const read = async (one: string) => days.set(one, await readDay(ports, one, now));
    await Promise.all(fresh.map(read));
    const own = workspaces.flatMap(one => days.get(one) ?? []);
    lines.push(await lineOf(ports, organisation, { days: own, areAll }));
  }
  return lines;
};
