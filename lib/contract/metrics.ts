import type { EnvironmentName } from './environments.ts';

export const metricNamespace = (environment: EnvironmentName): string => `som-bus/${environment}`;

/** The only dimension of the metrics that functions write; metrics from log filters have none. */
export const metricDimensions = { service: 'som-bus' } as const;

/**
 * The metrics that the service writes itself: each costs money per month and environment, so this
 * list is the budget.
 */
export const customMetrics = {
  /** Requests to the bus that a rate limit or quota refused; from its access log. */
  throttled: 'Throttled',
  /**
   * Requests whose caller the authoriser could not identify because it failed; from the bus's
   * access log.
   */
  authoriserErrors: 'AuthoriserErrors',
  /** Token requests that failed because of KMS or the registry; from the function's log. */
  tokenErrors: 'TokenErrors',
  /** Logs whose delivery is not finished; written by the relay. */
  pendingHeads: 'PendingHeads',
  /** Seconds since the oldest unfinished delivery was accepted; written by the relay. */
  oldestPendingSeconds: 'OldestPendingSeconds',
  /**
   * Seconds that the oldest unacknowledged message of any consumer has waited; written every 15
   * minutes.
   */
  oldestUnacknowledgedSeconds: 'OldestUnacknowledgedSeconds',
  /**
   * Receives, acknowledgements, refusals and replays that could not be recorded; written by the
   * functions.
   */
  unrecorded: 'UnrecordedActivity',
} as const;

/**
 * Metrics that exist only while something is wrong: they are paid for by the hour in which they
 * have a value.
 */
export const rareMetrics = {
  /** Errors of the newest versions of an API's functions; from their log. */
  busReleaseErrors: 'BusReleaseErrors',
  portalReleaseErrors: 'PortalReleaseErrors',
  /**
   * Consumers' queues whose policy is not the one that the registry asks for; written every 15
   * minutes.
   */
  unguarded: 'UnguardedQueues',
} as const;

export type CustomMetric = keyof typeof customMetrics;
