import { daySeconds } from '../contract/limits.ts';
import type { Route } from '../contract/route.ts';
import { type RouteId, routes } from '../contract/routes.ts';
import type { Store } from '../engines/store.ts';
import { type HttpResponse, limitedResponse } from '../http/response.ts';
import { isJsonObject } from '../json/value.ts';
import { type Connection, quotaOf } from '../registry/connection.ts';
import type { Registry } from '../registry/registry.ts';
import { type Allowance, type DailyCount, type Limited, limiter, type Sender } from './limiter.ts';

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers): `q` requests in a window of `w` seconds,
 * `r` of them left, `t` seconds until more. `burst` is the bucket, `day` the daily quota.
 */
const rateLimitHeaders = ({
  quota,
  tokens,
  requestsToday,
  resetMilliseconds,
}: Allowance): Record<string, string> => {
  const window = Math.ceil(quota.burst / quota.perSecond);
  const refill = Math.ceil((quota.burst - tokens) / quota.perSecond);
  const today = Math.max(0, quota.perDay - requestsToday);
  const reset = Math.ceil(resetMilliseconds / 1000);
  return {
    'ratelimit-policy': `"burst";q=${quota.burst};w=${window}, "day";q=${quota.perDay};w=${daySeconds}`,
    ratelimit: `"burst";r=${Math.floor(tokens)};t=${refill}, "day";r=${today};t=${reset}`,
  };
};

export interface GatewayLimits {
  /** Counts a request before its caller is known; one without a route counts for its address only. */
  admit(route: RouteId | undefined, sender: Sender): Limited | undefined;
  /** Counts a request of a connection, if the authoriser found one; `headers` belong to the response of an allowed request. */
  charge(
    route: RouteId,
    caller: string | undefined,
  ): Promise<{ refusal?: HttpResponse; headers: Record<string, string> }>;
  usedToday(connection: string): number;
  save(): void;
  forget(): void;
}

const usage = 'usage';
const saveEveryMilliseconds = 1_000;
const unlimited = { headers: {} };

const isDailyCount = (value: unknown): value is DailyCount =>
  isJsonObject(value) && 'day' in value && Number.isInteger(value['requests']);

export interface Notes {
  read(name: string): unknown;
  write(name: string, value: object): void;
}

export const notesIn = (store: Store): Notes => {
  store.define(
    'CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT',
  );
  const select = store.sql<{ readonly value: string }>('SELECT value FROM notes WHERE name = ?');
  const insert = store.sql('INSERT OR REPLACE INTO notes VALUES (?, ?)');
  return {
    read(name: string): unknown {
      const row = select.get(name);
      return row && JSON.parse(row.value);
    },
    write: (name: string, value: object): void => void insert.run(name, JSON.stringify(value)),
  };
};

const countsBefore = (notes: Pick<Notes, 'read'>): Record<string, DailyCount> => {
  const value = notes.read(usage);
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, DailyCount] => isDailyCount(entry[1])));
};

export interface LimitPorts {
  readonly registry: Pick<Registry, 'connection'>;
  /** Notes requests of a connection that were refused; never fails. */
  limited(connection: Connection, requests: number): Promise<void>;
}

/** Notes refused requests: those of a connection that come while a note is written go with the next one. */
const noting = ({ limited }: Pick<LimitPorts, 'limited'>): ((connection: Connection) => void) => {
  const waiting = new Map<string, number>();
  const busy = new Set<string>();
  const write = async (connection: Connection): Promise<void> => {
    const { id } = connection;
    busy.add(id);
    for (let requests = waiting.get(id); requests !== undefined; requests = waiting.get(id)) {
      waiting.delete(id);
      await limited(connection, requests);
    }
    busy.delete(id);
  };
  return connection => {
    waiting.set(connection.id, (waiting.get(connection.id) ?? 0) + 1);
    // The response does not wait for it.
    if (!busy.has(connection.id)) void write(connection);
  };
};

/** The limits of `lib/contract/limits.ts`, with the daily counts kept in notes. */
export const gatewayLimits = (ports: LimitPorts, notes: Notes, now: () => number): GatewayLimits => {
  let limits = limiter(now, countsBefore(notes));
  const note = noting(ports);
  let savedAt = now();

  const save = (): void => {
    savedAt = now();
    notes.write(usage, limits.counts());
  };

  return {
    save,
    forget() {
      limits = limiter(now, {});
      save();
    },
    usedToday: connection => limits.usedToday(connection),
    admit: (route, sender) => limits.request(route, sender),
    async charge(route, caller) {
      const { quota: counts }: Route = routes[route];
      const connection = counts && caller !== undefined ? await ports.registry.connection(caller) : undefined;
      if (!connection) return unlimited;
      const allowance = limits.connection(connection.id, quotaOf(connection));
      if (now() - savedAt >= saveEveryMilliseconds) save();
      const headers = rateLimitHeaders(allowance);
      const { limited } = allowance;
      if (limited) note(connection);
      return limited ? { refusal: limitedResponse('bus', limited, headers), headers } : { headers };
    },
  };
};
