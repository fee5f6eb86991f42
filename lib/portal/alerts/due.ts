import { iso } from '../../contract/outside.ts';
import { type AlertEvent, alertLimits } from '../../contract/portal/alerts.ts';
import type { Alert } from './alerts.ts';

/** What an alert compares, of one connection; undefined if it is not known now. */
export interface Level {
  readonly connection: string;
  readonly appName: string;
  readonly value: number | undefined;
}

/** A test run that is over. */
export interface EndedRun {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly endedAt: number;
  readonly status: string;
}

/** What an alert looks at: the connections that it is about, or their test runs. */
export interface Facts {
  readonly levels: readonly Level[];
  readonly runs: readonly EndedRun[];
}

/** What is new. */
interface Due extends Pick<Alert['state'], 'raised' | 'runs'> {
  readonly events: readonly AlertEvent[];
}

const isOver = ({ kind, threshold }: Alert, value: number): boolean =>
  kind === 'secret_ends' ? value <= threshold : value > threshold;

const eventOf = (alert: Alert, type: AlertEvent['type'], now: number): AlertEvent => ({
  type,
  timestamp: iso(now),
  data: {
    alert_id: alert.id,
    workspace_id: alert.workspace,
    kind: alert.kind,
    ...(alert.kind !== 'test_run_ended' && { threshold: alert.threshold }),
  },
});

/** What the test button sends. */
export const testEvent = (alert: Alert, now: number): AlertEvent =>
  eventOf(alert, 'alert.test', now);

/** One event for all connections that something is new of. */
const levelEvents = (
  alert: Alert,
  {
    type,
    ids,
    levels,
  }: { type: AlertEvent['type']; ids: readonly string[]; levels: Facts['levels'] },
  now: number,
): readonly AlertEvent[] => {
  if (ids.length === 0) return [];
  const { data, ...event } = eventOf(alert, type, now);
  const connections = ids.slice(0, alertLimits.namedConnections).map(id => {
    const { appName = '', value } = levels.find(({ connection }) => connection === id) ?? {};
    const known = value !== undefined && Number.isFinite(value);
    return { connection_id: id, app_name: appName, ...(known && { value: Math.floor(value) }) };
  });
  return [{ ...event, data: { ...data, connections } }];
};

/**
 * What an alert has to tell, now that these are the facts: each change of a connection once, and
 * each run once.
 */
export const due = (alert: Alert, { levels, runs }: Facts, now: number): Due => {
  const { state } = alert;
  const raised = levels.flatMap(({ connection, value }) => {
    const isRaised = value === undefined ? state.raised.includes(connection) : isOver(alert, value);
    return isRaised ? [connection] : [];
  });
  // In an order of their own, so that only news changes what is stored.
  raised.sort();

  const newly = raised.filter(id => !state.raised.includes(id));
  const over = state.raised.filter(id => !raised.includes(id));

  const ended = runs.filter(({ endedAt }) => endedAt > Date.parse(alert.createdAt));
  const told = ended
    .filter(({ id }) => !state.runs.includes(id))
    .map(({ id, status }) => {
      const { data, ...event } = eventOf(alert, 'test_run.ended', now);
      return { ...event, data: { ...data, run_id: id, status } };
    });
  return {
    raised,
    runs: ended.map(({ id }) => id),
    events: [
      ...levelEvents(alert, { type: 'alert.raised', ids: newly, levels }, now),
      ...levelEvents(alert, { type: 'alert.ended', ids: over, levels }, now),
      ...told,
    ],
  };
};
