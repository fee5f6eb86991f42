import type { EnvironmentName } from './environments.ts';

/** The namespace of the metrics that the service writes itself. */
export const metricNamespace = (environment: EnvironmentName): string => `som-bus/${environment}`;

/** The only dimension of the metrics that functions write; metrics from log filters have none. */
export const metricDimensions = { service: 'som-bus' } as const;

/** The metrics that the service writes itself: each costs money per month and environment, so this list is the budget. */
export const customMetrics = {
  /** Requests to the bus that a rate limit or quota refused; from its access log. */
  throttled: 'Throttled',
  /** Requests whose caller the authoriser could not identify because it failed; from the bus's access log. */
  authoriserFaults: 'AuthoriserFaults',
  /** Token requests that failed because of KMS or the registry; from the function's log. */
  tokenFaults: 'TokenFaults',
  /** Logs whose delivery is not finished; written by the relay. */
  pendingHeads: 'PendingHeads',
  /** Seconds since the oldest unfinished delivery was accepted; written by the relay. */
  oldestPendingSeconds: 'OldestPendingSeconds',
  /** Receives, acknowledgements, refusals and replays that could not be recorded; written by the functions. */
  unrecorded: 'UnrecordedActivity',
} as const;

export type CustomMetric = keyof typeof customMetrics;

/** The maximum number of custom metrics per environment: ten are free in an account. */
export const customMetricBudget = 6;

/** An alarm: it fires when `threshold` is breached in `of` out of `periods` periods of `periodSeconds` each. */
export interface Alarm {
  readonly meaning: string;
  readonly threshold: number;
  readonly periodSeconds: number;
  readonly periods: number;
  readonly of: number;
}

const fiveMinutes = { periodSeconds: 60, periods: 5, of: 3 };

/** Every alarm; `docs/runbook.md` has a section for each. */
export const alarms = {
  'bus-5xx': {
    meaning: 'The bus is returning 5xx errors: it, or a service it depends on, is failing.',
    threshold: 1,
    ...fiveMinutes,
  },
  'portal-5xx': {
    meaning: 'The skill catalogue is returning 5xx errors.',
    threshold: 1,
    ...fiveMinutes,
  },
  throttles: {
    meaning: 'Rate limits or quotas are refusing an unusual number of requests.',
    threshold: 100,
    ...fiveMinutes,
  },
  'table-throttles': {
    meaning: 'DynamoDB is throttling reads or writes of the tables.',
    threshold: 1,
    ...fiveMinutes,
  },
  'relay-age': {
    meaning: 'An accepted message has not reached every queue for more than two minutes.',
    threshold: 120,
    periodSeconds: 60,
    periods: 2,
    of: 2,
  },
  'authoriser-faults': {
    meaning: 'The authoriser is failing, so callers cannot be authenticated.',
    threshold: 1,
    ...fiveMinutes,
  },
  'token-faults': {
    meaning: 'The bus cannot issue tokens: KMS or the registry is failing.',
    threshold: 1,
    ...fiveMinutes,
  },
  'job-failures': {
    meaning: 'A run of a scheduled function failed and is in its failures queue.',
    threshold: 1,
    periodSeconds: 60,
    periods: 1,
    of: 1,
  },
} as const satisfies Record<string, Alarm>;

export type AlarmId = keyof typeof alarms;
