import type { EnvironmentName } from './environments.ts';

/** The namespace of the metrics that the service writes itself. */
export const metricNamespace = (environment: EnvironmentName): string => `som-bus/${environment}`;

/** The one dimension of the metrics that functions write; those made from logs have none. */
export const metricDimensions = { service: 'som-bus' } as const;

/** The metrics that the service writes itself: each costs money per month and environment, so this list is the budget. */
export const customMetrics = {
  /** Requests of the bus that a rate or quota refused; from its access log. */
  throttled: 'Throttled',
  /** Requests whose caller the authoriser could not tell; from the bus's access log. */
  authoriserFaults: 'AuthoriserFaults',
  /** Token requests that a fault ended: KMS or the registry failed; from the function's log. */
  tokenFaults: 'TokenFaults',
  /** Logs whose delivery is not finished; written by the relay. */
  pendingHeads: 'PendingHeads',
  /** Seconds since the oldest unfinished delivery was accepted; written by the relay. */
  oldestPendingSeconds: 'OldestPendingSeconds',
} as const;

export type CustomMetric = keyof typeof customMetrics;

/** The most metrics of our own per environment: ten are free in an account. */
export const customMetricBudget = 5;

/** An alarm: rings when `threshold` is passed in `of` periods out of `periods`, each of `periodSeconds`. */
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
    meaning: 'The bus answers with faults: something behind it fails.',
    threshold: 1,
    ...fiveMinutes,
  },
  'portal-5xx': {
    meaning: 'The skill catalogue answers with faults.',
    threshold: 1,
    ...fiveMinutes,
  },
  throttles: {
    meaning: 'Callers are refused by rates or quotas more often than a mistake explains.',
    threshold: 100,
    ...fiveMinutes,
  },
  'table-throttles': {
    meaning: 'DynamoDB refuses reads or writes of the tables.',
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
    meaning: 'Callers cannot be told apart: the authoriser fails.',
    threshold: 1,
    ...fiveMinutes,
  },
  'token-faults': {
    meaning: 'Tokens cannot be issued: KMS or the registry fails.',
    threshold: 1,
    ...fiveMinutes,
  },
  'job-failures': {
    meaning: 'A run of a scheduled function failed and was put aside.',
    threshold: 1,
    periodSeconds: 60,
    periods: 1,
    of: 1,
  },
} as const satisfies Record<string, Alarm>;

export type AlarmId = keyof typeof alarms;
